/**
 * Folds session events into a snapshot: all at once (`rebuildOsSnapshot`), one by one without touching the old snapshot (`fold`), or as a stream
 * (`createFold`), which is what a long log wants: constant work per event.
 *
 * Events may come straight from JSON.parse. A field that is missing or of the wrong type gets the default that the SDKs give it; the fold never
 * throws.
 */
import { isU64 } from '../../base/index.ts'
import type { SessionEvent } from '../events/kinds.ts'
import { emptyOsSnapshot, type FoldOptions, type OsSnapshot, type ProcessRecord } from './os-snapshot.ts'

export type SnapshotFold = {
  add(event: SessionEvent): void
  /** A copy: later events do not change it. */
  snapshot(): OsSnapshot
}

export function rebuildOsSnapshot(events: Iterable<SessionEvent>, options: FoldOptions = {}): OsSnapshot {
  const state = toMutable(copyOf(emptyOsSnapshot()))
  for (const event of events) apply(state, event, options)
  return state.snapshot
}

export function fold(snapshot: OsSnapshot, event: SessionEvent, options: FoldOptions = {}): OsSnapshot {
  if (!touches.has(event.kind)) return snapshot
  const state = toMutable(copyOf(snapshot))
  apply(state, event, options)
  return state.snapshot
}

export function createFold(options: FoldOptions = {}, from: OsSnapshot = emptyOsSnapshot()): SnapshotFold {
  const state = toMutable(copyOf(from))
  return { add: (event) => apply(state, event, options), snapshot: () => copyOf(state.snapshot) }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }
type FoldState = { readonly snapshot: Mutable<OsSnapshot>; readonly rowOf: Map<string, number> }

function toMutable(snapshot: Mutable<OsSnapshot>): FoldState {
  return { snapshot, rowOf: new Map(snapshot.process_by_agent.map((row, index) => [row.agent_id, index])) }
}

function copyOf(snapshot: OsSnapshot): Mutable<OsSnapshot> {
  return {
    ...snapshot,
    process_by_agent: [...snapshot.process_by_agent],
    budget_exceeded: [...snapshot.budget_exceeded],
    signals: [...snapshot.signals],
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
])

type Raw = { readonly [field: string]: unknown }

function apply(state: FoldState, event: SessionEvent, options: FoldOptions): void {
  const { snapshot } = state
  const raw: Raw = event
  switch (event.kind) {
    case 'suspended':
      snapshot.last_suspend = { turn: count(raw.turn), reason: text(raw.reason), pending_calls: texts(raw.pending_calls) }
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
      snapshot.budget_exceeded.push({ turn: count(raw.turn), budget: text(raw.budget) })
      return
    case 'signal_disposed':
      snapshot.signals.push({
        turn: count(raw.turn),
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

/** The first event of an agent appends its row; every later one replaces the row where it stands. */
function changeProcess({ snapshot, rowOf }: FoldState, raw: Raw): void {
  const agentId = text(raw.agent_id)
  const state = text(raw.state)
  const row: ProcessRecord = {
    turn: count(raw.turn),
    agent_id: agentId,
    parent_session_id: text(raw.parent_session_id),
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
