/** One model call as session events, in the same form from every log. */
import type { JsonValue, ToolCall } from '../events/fields.ts'
import type { ImportedEvent, Usage } from './log-importer.ts'
import { time } from './run-tracker.ts'

export type ModelCall = {
  readonly turn: number
  readonly content: string
  readonly calls: readonly ToolCall[]
  /** Becomes `provider_replay`. */
  readonly replay?: { readonly [name: string]: JsonValue }
  readonly usage: Usage | null
  readonly at: string | null
}

/** `llm_completed`, then `tool_requested` if the model called tools. */
export function modelCallEvents(call: ModelCall): ImportedEvent[] {
  const { turn, calls, at } = call
  return [
    llmCompleted(call),
    ...(calls.length === 0 ? [] : [{ kind: 'tool_requested' as const, turn, calls, ...time(at) }]),
  ]
}

export function llmCompleted({ turn, content, calls, replay, usage, at }: ModelCall): ImportedEvent {
  const tokens = usage?.output_tokens ?? 0
  return {
    kind: 'llm_completed',
    turn,
    message: {
      role: 'assistant',
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(tokens > 0 ? { token_count: tokens } : {}),
    },
    ...(replay === undefined ? {} : { provider_replay: replay }),
    ...(usage === null ? {} : { usage }),
    ...time(at),
  }
}

export function reasoning(thoughts: readonly string[]): Pick<ModelCall, 'replay'> {
  return thoughts.length === 0 ? {} : { replay: { reasoning_content: thoughts.join('\n\n') } }
}
