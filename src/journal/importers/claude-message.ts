/**
 * One assistant message of Claude Code, gathered from its lines: each content block is a line of its own, all
 * with the message's id and usage.
 */
import { fieldsOf, isObject, listOf, numberOf, textOf, type UnknownObject } from '../../base/index.ts'
import type { JsonValue, ToolCall } from '../events/fields.ts'
import type { ImportedEvent, Usage } from './log-importer.ts'
import { modelCallEvents, reasoning } from './model-call.ts'
import type { RunTracker } from './run-tracker.ts'

export type AssistantMessage = {
  readonly id: string | null
  /** True for a line of another message than the one gathered so far. */
  isOther(record: UnknownObject): boolean
  add(record: UnknownObject, at: string | null): void
  readonly calls: readonly ToolCall[]
  /** How the run ends if this was its last message; null if tools are still to run. */
  readonly ending: string | null
  events(run: RunTracker): ImportedEvent[]
}

/**
 * `earlier` is the id of the message before: more lines of it, after a tool's result, are no new call and
 * bring no new usage.
 */
export function createAssistantMessage(earlier: string | null): AssistantMessage {
  let id: string | null = null
  let began: string | null = null
  let usage: Usage | null = null
  let stop: string | null = null
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: ToolCall[] = []
  const isEmpty = (): boolean => texts.length + thoughts.length + calls.length === 0
  return {
    get id() {
      return id ?? earlier
    },
    calls,
    isOther: (record) => !isEmpty() && (!isObject(record.message) || textOf(record.message.id) !== id),
    add(record, at) {
      const message = fieldsOf(record.message)
      id = textOf(message.id)
      began ??= at
      usage = usageOf(message, record)
      stop = textOf(message.stop_reason)
      for (const block of listOf(message.content)) {
        if (!isObject(block)) continue
        if (block.type === 'text') texts.push(textOf(block.text) ?? '')
        if (block.type === 'thinking') thoughts.push(textOf(block.thinking) ?? '')
        if (block.type === 'tool_use') {
          calls.push({
            id: textOf(block.id) ?? '',
            name: textOf(block.name) ?? '',
            arguments: (block.input ?? {}) as JsonValue,
          })
        }
      }
    },
    get ending() {
      return stop === null || stop === 'tool_use'
        ? null
        : stop === 'max_tokens'
          ? 'token_budget'
          : 'completed'
    },
    events(run) {
      if (isEmpty()) return []
      if (id !== null && id === earlier) usage = null
      else run.called(usage)
      const content = texts.join('\n\n')
      return modelCallEvents({
        turn: run.turn,
        content,
        calls: [...calls],
        ...reasoning(thoughts),
        usage,
        at: began,
      })
    },
  }
}

function usageOf(message: UnknownObject, record: UnknownObject): Usage | null {
  if (!isObject(message.usage)) return null
  const { usage } = message
  const cost = numberOf(record.costUSD)
  return {
    model: textOf(message.model) ?? '',
    input_tokens: numberOf(usage.input_tokens) ?? 0,
    output_tokens: numberOf(usage.output_tokens) ?? 0,
    cache_read_tokens: numberOf(usage.cache_read_input_tokens) ?? 0,
    cache_write_tokens: numberOf(usage.cache_creation_input_tokens) ?? 0,
    ...(cost === null ? {} : { cost_usd: cost }),
  }
}

/** The text of a content that is a string or a list of blocks; blocks that are not text are named. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((block) => (isObject(block) ? (textOf(block.text) ?? `[${textOf(block.type) ?? 'block'}]`) : ''))
    .join('\n')
}
