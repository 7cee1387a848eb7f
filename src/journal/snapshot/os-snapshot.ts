/**
 * The audit snapshot: what one left fold over session events, in the order given, leaves behind. Field names and shapes are the ones that are
 * written, so `JSON.stringify` of a snapshot is upstream's document.
 *
 * It never fails and never resets: `resumed` does not clear `last_suspend`, a rollback undoes nothing, several runs accumulate, and "newest"
 * means latest in the log whatever its turn says.
 */
export type SuspendRecord = { readonly turn: number; readonly reason: string; readonly pending_calls: readonly string[] }
export type ProcessRecord = { readonly turn: number; readonly agent_id: string; readonly parent_session_id: string; readonly state: string }
export type BudgetRecord = { readonly turn: number; readonly budget: string }
export type SignalRecord = { readonly turn: number; readonly signal_id: string; readonly disposition: string; readonly queue_depth: number }

export type OsSnapshot = {
  readonly last_suspend: SuspendRecord | null
  readonly last_resumed_turn: number | null
  readonly process_by_agent: readonly ProcessRecord[]
  readonly budget_exceeded: readonly BudgetRecord[]
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
 * `compat: 'base'` keeps the one known fault of the base version: `memory_retrieval_result` is dropped before it is counted, so its count is
 * always 0.
 */
export type FoldOptions = { readonly compat?: 'base' }

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
