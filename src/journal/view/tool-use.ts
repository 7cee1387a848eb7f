/**
 * Which tools were called, how often, and how that went. Results name a call, so calls under way are
 * remembered until their result comes.
 */
import { isObject, listOf, textOf } from '../../base/index.ts'
import type { Collector } from './collector.ts'

export type ToolUse = {
  readonly tool: string
  readonly requested: number
  readonly completed: number
  readonly errors: number
  readonly denied: number
  readonly gated: number
  readonly repaired: number
}

type Counts = { -readonly [K in keyof ToolUse]: ToolUse[K] }
type Count = Exclude<keyof ToolUse, 'tool'>

/**
 * Calls whose result never comes are forgotten, the oldest first; a log of any length is read in the same
 * memory.
 */
const MOST_CALLS = 10_000

export function collectTools(): Collector<readonly ToolUse[]> {
  const tools = new Map<string, Counts>()
  const toolOfCall = new Map<string, string>()
  const remember = (callId: string, tool: string): void => {
    toolOfCall.set(callId, tool)
    if (toolOfCall.size > MOST_CALLS) toolOfCall.delete(toolOfCall.keys().next().value ?? '')
  }
  const count = (tool: string, what: Count): void => {
    const row = tools.get(tool) ?? {
      tool,
      requested: 0,
      completed: 0,
      errors: 0,
      denied: 0,
      gated: 0,
      repaired: 0,
    }
    row[what] += 1
    tools.set(tool, row)
  }
  return {
    add(_seq, event) {
      switch (event.kind) {
        case 'tool_requested':
          for (const call of listOf(event.calls)) {
            if (!isObject(call)) continue
            const tool = textOf(call.name) ?? '(unnamed)'
            count(tool, 'requested')
            if (typeof call.id === 'string') remember(call.id, tool)
          }
          return
        case 'tool_completed':
          for (const result of listOf(event.results)) {
            if (!isObject(result)) continue
            const callId = textOf(result.call_id) ?? ''
            const tool = toolOfCall.get(callId) ?? '(unknown)'
            toolOfCall.delete(callId)
            count(tool, 'completed')
            if (result.is_error === true) count(tool, 'errors')
          }
          return
        case 'tool_denied':
          return count(textOf(event.tool_name) ?? '', 'denied')
        case 'tool_gated':
          return count(textOf(event.tool) ?? '', 'gated')
        case 'tool_argument_repaired':
          return count(textOf(event.tool) ?? '', 'repaired')
      }
    },
    view: () => [...tools.values()].map((row) => ({ ...row })),
  }
}
