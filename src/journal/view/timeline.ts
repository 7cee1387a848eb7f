/**
 * What a person wants to see in order: runs, commands and other tool calls, processes, suspensions, budgets,
 * permissions, denials, signals, rollbacks. Not the conversation. Bounded: of a very long log the newest rows
 * are kept, and the number of the others.
 */
import { isObject, listOf, numberOf, parseJson, textOf } from '../../base/index.ts'
import type { Collector, ReadEvent } from './collector.ts'

export type TimelineRow = {
  readonly seq: number
  readonly turn: number | null
  /** When it happened (ISO 8601), if the log contains it. */
  readonly at: string | null
  readonly kind: string
  readonly text: string
}

const KEPT = 10_000

export function collectTimeline(): Omit<Collector<readonly TimelineRow[]>, 'add'> & {
  add(seq: number, event: ReadEvent, at: string | null): void
  dropped(): number
} {
  let rows: TimelineRow[] = []
  let dropped = 0
  return {
    add(seq, event, at) {
      const text = sentence(event)
      if (text === null) return
      rows.push({ seq, turn: numberOf(event.turn), at: at ?? textOf(event.at), kind: event.kind, text })
      if (rows.length < 2 * KEPT) return
      dropped += KEPT
      rows = rows.slice(KEPT)
    },
    view: () => rows.slice(-KEPT),
    dropped: () => dropped + Math.max(0, rows.length - KEPT),
  }
}

/** One line for the row, or null for an event that the time line leaves out. */
function sentence(event: ReadEvent): string | null {
  const text = (name: string): string =>
    typeof event[name] === 'string'
      ? event[name]
      : event[name] === undefined || event[name] === null
        ? '?'
        : String(event[name])
  const because = (name: string): string => (textOf(event[name]) ? `: ${text(name)}` : '')
  const list = (name: string): string => listOf(event[name]).map(String).join(', ')
  switch (event.kind) {
    case 'run_started':
      return `run ${text('run_id')} started: ${text('goal')}`
    case 'run_terminal':
      return `run ended: ${text('reason')} after ${text('turns_used')} turns, ${text('total_tokens')} tokens`
    case 'agent_process_changed':
      return `agent ${text('agent_id')} (${text('role')}) ${text('state')}${because('result_termination')}`
    case 'tool_requested':
      return listOf(event.calls).map(callText).join('; ') || null
    case 'suspended':
      return `suspended (${text('reason')})${list('pending_calls') === '' ? '' : `, waiting for ${list('pending_calls')}`}`
    case 'resumed':
      return `resumed${list('approved') === '' ? '' : `, approved ${list('approved')}`}${list('denied') === '' ? '' : `, denied ${list('denied')}`}`
    case 'budget_exceeded':
      return `budget exceeded: ${text('budget')}`
    case 'budget_usage_reported':
      return 'budget usage reported'
    case 'permission_requested':
      return `permission requested for ${text('tool')}${because('reason')}`
    case 'permission_resolved':
      return `permission ${event.approved === true ? 'given' : 'refused'} by ${text('responder')}`
    case 'tool_denied':
      return `${text('tool_name')} denied${because('reason')}`
    case 'tool_gated':
      return `${text('tool')} gated${because('reason')}`
    case 'signal_disposed':
    case 'signal_delivery_disposed':
      return `signal ${text('signal_id')}: ${text('disposition')}, queue ${text('queue_depth')}`
    case 'operation_cancelled':
      return `operation ${text('operation_id')} cancelled${because('reason')}`
    case 'entropy_alert':
      return 'entropy alert'
    case 'rollbacked':
      return `rolled back to ${text('checkpoint_history_len')} messages${isObject(event.reason) ? `: ${String(event.reason.kind)}` : ''}`
    case 'milestone_advanced':
      return `milestone ${text('phase_id')} reached`
    case 'milestone_blocked':
      return `milestone ${text('phase_id')} blocked${because('reason')}`
    case 'capability_changed':
      return `capability ${textOf(event.change_kind) ?? 'changed'} ${textOf(event.capability_id) ?? [list('added'), list('removed')].filter(Boolean).join(', ')}`
    default:
      return null
  }
}

/** A shell command as it is, another call with its arguments. */
function callText(call: unknown): string {
  if (!isObject(call)) return 'calls ?'
  const name = textOf(call.name) ?? '?'
  const given = argumentsOf(call.arguments)
  const command = isObject(given) ? (given.command ?? given.cmd) : undefined
  const line = Array.isArray(command) ? command.map(String).join(' ') : command
  if (typeof line === 'string') return `${name} $ ${line.replaceAll('\n', ' ')}`
  return `${name} ${given === undefined ? '' : JSON.stringify(given)}`.trimEnd()
}

/** Some logs have the arguments as a text that is JSON. */
function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    // Not JSON: the text itself is the argument.
    return value
  }
}
