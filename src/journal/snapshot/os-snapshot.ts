/**
 * The audit snapshot: what one left fold over session events, in the order given, leaves behind. Field names
 * and shapes are the ones that are written, so `JSON.stringify` of a snapshot is upstream's document.
 *
 * It never fails and never resets: `resumed` does not clear `last_suspend`, a rollback undoes nothing,
 * several runs accumulate, and "newest" means latest in the log, whatever its turn is.
 */
export type SuspendRecord = {
  readonly turn: number
  readonly reason: string
  readonly pending_calls: readonly string[]
}
export type ProcessRecord = {
  readonly turn: number
  readonly agent_id: string
  readonly parent_session_id: string
  readonly state: string
}
/** `operation_id` and `reservation_id` are in the newest form only. */
export type BudgetRecord = {
  readonly turn: number
  readonly operation_id?: string
  readonly reservation_id?: string | null
  readonly budget: string
}
export type BudgetUsageRecord = {
  readonly turn: number
  readonly operation_id: string
  readonly reservation_id: string
  readonly tokens: number
  readonly subagents: number
  readonly rounds: number
}
export type CancellationRecord = {
  readonly turn: number
  readonly operation_id: string
  readonly reason: string
  readonly pending_call_ids: readonly string[]
}
/** `operation_id`, `delivery_id` and `attempt` are in the newest form only. */
export type SignalRecord = {
  readonly turn: number
  readonly operation_id?: string
  readonly delivery_id?: string
  readonly attempt?: number
  readonly signal_id: string
  readonly disposition: string
  readonly queue_depth: number
}

export type OsSnapshot = {
  readonly last_suspend: SuspendRecord | null
  readonly last_resumed_turn: number | null
  readonly process_by_agent: readonly ProcessRecord[]
  readonly budget_exceeded: readonly BudgetRecord[]
  /** Newest form only, as `cancellations`. */
  readonly budget_usage_reported?: readonly BudgetUsageRecord[]
  readonly cancellations?: readonly CancellationRecord[]
  readonly signals: readonly SignalRecord[]
  readonly page_out_count: number
  readonly page_in_count: number
  readonly tool_gated_count: number
  readonly memory_written_count: number
  readonly memory_queried_count: number
  readonly memory_validation_failed_count: number
  readonly memory_retrieval_result_count: number
}

/**
 * Which version of upstream a snapshot follows. Without it the log decides: the base form, until an event
 * comes that only the newest version writes.
 *
 * `base` ignores such events, and keeps the one known fault of the base version: `memory_retrieval_result` is
 * dropped before it is counted, so its count is always 0. `newest` is the form of DeepStrike 0.2.60.
 */
export type SnapshotCompat = 'base' | 'newest'
export type FoldOptions = { readonly compat?: SnapshotCompat }

export function emptyOsSnapshot(): OsSnapshot {
  return {
    last_suspend: null,
    last_resumed_turn: null,
    process_by_agent: [],
    budget_exceeded: [],
    signals: [],
    page_out_count: 0,
    page_in_count: 0,
    tool_gated_count: 0,
    memory_written_count: 0,
    memory_queried_count: 0,
    memory_validation_failed_count: 0,
    memory_retrieval_result_count: 0,
  }
}

export function isNewest(snapshot: OsSnapshot): boolean {
  return snapshot.budget_usage_reported !== undefined
}

/** The same snapshot in the newest form. What the base form does not know is empty. */
export function newestForm(snapshot: OsSnapshot): OsSnapshot {
  if (isNewest(snapshot)) return snapshot
  const { last_suspend, last_resumed_turn, process_by_agent, budget_exceeded, signals, ...counts } = snapshot
  return {
    last_suspend,
    last_resumed_turn,
    process_by_agent,
    budget_exceeded: budget_exceeded.map(({ turn, budget }) => ({
      turn,
      operation_id: '',
      reservation_id: null,
      budget,
    })),
    budget_usage_reported: [],
    cancellations: [],
    signals: signals.map(({ turn, ...signal }) => ({
      turn,
      operation_id: '',
      delivery_id: '',
      attempt: 0,
      ...signal,
    })),
    ...counts,
  }
}
