/**
 * Folds session events into a snapshot: all at once (`rebuildOsSnapshot`), one by one without touching the
 * old snapshot (`fold`), or as a stream (`createFold`), which is what a long log wants: constant work per
 * event.
 *
 * Events may come straight from JSON.parse. A field that is missing or of the wrong type gets the default
 * that the SDKs give it; the fold never throws.
 */
import { isU64, textOf } from '../../base/index.ts'
import type { SessionEvent } from '../events/kinds.ts'
import {
  emptyOsSnapshot,
  type FoldOptions,
  isNewest,
  newestForm,
  type OsSnapshot,
  type ProcessRecord,
} from './os-snapshot.ts'

export type SnapshotFold = {
  add(event: SessionEvent): void
  /** A copy: later events do not change it. */
  snapshot(): OsSnapshot
}

export function rebuildOsSnapshot(events: Iterable<SessionEvent>, options: FoldOptions = {}): OsSnapshot {
  const state = startFrom(emptyOsSnapshot(), options)
  for (const event of events) apply(state, event, options)
  return state.snapshot
}

export function fold(snapshot: OsSnapshot, event: SessionEvent, options: FoldOptions = {}): OsSnapshot {
  if (!touches.has(event.kind)) return options.compat === 'newest' ? newestForm(snapshot) : snapshot
  const state = startFrom(snapshot, options)
  apply(state, event, options)
  return state.snapshot
}

export function createFold(options: FoldOptions = {}, from: OsSnapshot = emptyOsSnapshot()): SnapshotFold {
  const state = startFrom(from, options)
  return { add: (event) => apply(state, event, options), snapshot: () => copyOf(state.snapshot) }
}

type Mutable<T> = { -readonly [K in keyof T]: NonNullable<T[K]> extends readonly (infer E)[] ? E[] : T[K] }
type FoldState = { snapshot: Mutable<OsSnapshot>; readonly rowOf: Map<string, number> }

function startFrom(from: OsSnapshot, { compat }: FoldOptions): FoldState {
  const snapshot = copyOf(compat === 'newest' ? newestForm(from) : from)
  return { snapshot, rowOf: new Map(snapshot.process_by_agent.map((row, index) => [row.agent_id, index])) }
}

function copyOf({
  budget_usage_reported: usage,
  cancellations,
  ...snapshot
}: OsSnapshot): Mutable<OsSnapshot> {
  const { last_suspend, last_resumed_turn, process_by_agent, budget_exceeded, signals, ...counts } = snapshot
  return {
    last_suspend,
    last_resumed_turn,
    process_by_agent: [...process_by_agent],
    budget_exceeded: [...budget_exceeded],
    ...(usage === undefined ? {} : { budget_usage_reported: [...usage] }),
    ...(cancellations === undefined ? {} : { cancellations: [...cancellations] }),
    signals: [...signals],
    ...counts,
  }
}

const touches: ReadonlySet<string> = new Set([
  'suspended',
  'resumed',
  'tool_gated',
  'agent_process_changed',
  'budget_exceeded',
  'signal_disposed',
  'page_out',
  'page_in',
  'memory_written',
  'memory_queried',
  'memory_validation_failed',
  'memory_retrieval_result',
  'signal_delivery_disposed',
  'budget_usage_reported',
  'operation_cancelled',
])

type Raw = { readonly [field: string]: unknown }

function apply(state: FoldState, event: SessionEvent, options: FoldOptions): void {
  const raw: Raw = event
  if (onlyNewestWrites(raw)) {
    if (options.compat === 'base') {
      if (event.kind !== 'budget_exceeded') return
    } else if (!isNewest(state.snapshot)) state.snapshot = copyOf(newestForm(state.snapshot))
  }
  const { snapshot } = state
  switch (event.kind) {
    case 'suspended':
      snapshot.last_suspend = {
        turn: count(raw.turn),
        reason: text(raw.reason),
        pending_calls: texts(raw.pending_calls),
      }
      return
    case 'resumed':
      snapshot.last_resumed_turn = count(raw.turn)
      return
    case 'tool_gated':
      snapshot.tool_gated_count += 1
      return
    case 'agent_process_changed':
      changeProcess(state, raw)
      return
    case 'budget_exceeded':
      snapshot.budget_exceeded.push({
        turn: count(raw.turn),
        ...(isNewest(snapshot)
          ? { operation_id: text(raw.operation_id), reservation_id: textOf(raw.reservation_id) }
          : {}),
        budget: text(raw.budget),
      })
      return
    case 'budget_usage_reported':
      snapshot.budget_usage_reported?.push({
        turn: count(raw.turn),
        operation_id: text(raw.operation_id),
        reservation_id: text(raw.reservation_id),
        tokens: count(raw.tokens),
        subagents: count(raw.subagents),
        rounds: count(raw.rounds),
      })
      return
    case 'operation_cancelled':
      snapshot.cancellations?.push({
        turn: count(raw.turn),
        operation_id: text(raw.operation_id),
        reason: text(raw.reason),
        pending_call_ids: texts(raw.pending_call_ids),
      })
      return
    case 'signal_disposed':
    case 'signal_delivery_disposed':
      snapshot.signals.push({
        turn: count(raw.turn),
        ...(isNewest(snapshot)
          ? {
              operation_id: text(raw.operation_id),
              delivery_id: text(raw.delivery_id),
              attempt: count(raw.attempt),
            }
          : {}),
        signal_id: text(raw.signal_id),
        disposition: text(raw.disposition),
        queue_depth: count(raw.queue_depth),
      })
      return
    case 'page_out':
      snapshot.page_out_count += 1
      return
    case 'page_in':
      snapshot.page_in_count += 1
      return
    case 'memory_written':
      snapshot.memory_written_count += 1
      return
    case 'memory_queried':
      snapshot.memory_queried_count += 1
      return
    case 'memory_validation_failed':
      snapshot.memory_validation_failed_count += 1
      return
    case 'memory_retrieval_result':
      if (options.compat !== 'base') snapshot.memory_retrieval_result_count += 1
      return
    default:
      return
  }
}

/** What no base version writes: a kind of a later version, or a budget that names its operation. */
function onlyNewestWrites(event: Raw): boolean {
  switch (event.kind) {
    case 'signal_delivery_disposed':
    case 'budget_usage_reported':
    case 'operation_cancelled':
      return true
    case 'budget_exceeded':
      return event.operation_id !== undefined
    default:
      return false
  }
}

/** The first event of an agent appends its row; every later one replaces that row in place. */
function changeProcess({ snapshot, rowOf }: FoldState, raw: Raw): void {
  const agentId = text(raw.agent_id)
  const state = text(raw.state)
  const row: ProcessRecord = {
    turn: count(raw.turn),
    agent_id: agentId,
    parent_session_id: text(raw.parent_session_id ?? raw.parent_task_id),
    state: state === '' ? 'running' : state,
  }
  const known = rowOf.get(agentId)
  if (known !== undefined) snapshot.process_by_agent[known] = row
  else {
    rowOf.set(agentId, snapshot.process_by_agent.length)
    snapshot.process_by_agent.push(row)
  }
}

function count(value: unknown): number {
  return isU64(value) ? value : 0
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
