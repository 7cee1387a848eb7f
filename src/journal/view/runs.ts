/**
 * The runs of a session, each from its `run_started` to its `run_terminal`, and whether the newest one is
 * suspended at this point of the log.
 */
import { listOf, numberOf, textOf } from '../../base/index.ts'
import type { Collector } from './collector.ts'

export type RunView = {
  readonly runId: string
  readonly goal: string
  readonly agentId: string | null
  readonly startedAtSeq: number
  readonly endedAtSeq: number | null
  /** Null while it runs, or if the log ends before the run does. */
  readonly reason: string | null
  readonly turnsUsed: number | null
  readonly totalTokens: number | null
  readonly suspensions: number
}

/** The suspension that no later event has ended. A new run, or the end of the run, ends it too. */
export type SuspendedNow = {
  readonly seq: number
  readonly turn: number | null
  readonly reason: string
  readonly pendingCalls: readonly string[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export function collectRuns(): Collector<readonly RunView[]> & { suspendedNow(): SuspendedNow | null } {
  const runs: Mutable<RunView>[] = []
  let suspended: SuspendedNow | null = null
  return {
    add(seq, event) {
      switch (event.kind) {
        case 'run_started':
          runs.push(
            startedRun(seq, textOf(event.run_id) ?? '', textOf(event.goal) ?? '', textOf(event.agent_id)),
          )
          suspended = null
          return
        case 'run_terminal': {
          const run = openRun(runs, seq)
          run.endedAtSeq = seq
          run.reason = textOf(event.reason)
          run.turnsUsed = numberOf(event.turns_used)
          run.totalTokens = numberOf(event.total_tokens)
          suspended = null
          return
        }
        case 'suspended': {
          suspended = {
            seq,
            turn: numberOf(event.turn),
            reason: textOf(event.reason) ?? '',
            pendingCalls: listOf(event.pending_calls).map(String),
          }
          const run = runs.at(-1)
          if (run !== undefined) run.suspensions += 1
          return
        }
        case 'resumed':
          suspended = null
          return
      }
    },
    view: () => runs.map((run) => ({ ...run })),
    suspendedNow: () => suspended,
  }
}

/** The run that an end belongs to; a log whose beginning is missing has an end without a start. */
function openRun(runs: Mutable<RunView>[], seq: number): Mutable<RunView> {
  const last = runs.at(-1)
  if (last !== undefined && last.endedAtSeq === null) return last
  const run = startedRun(seq, '', '', null)
  runs.push(run)
  return run
}

function startedRun(seq: number, runId: string, goal: string, agentId: string | null): Mutable<RunView> {
  return {
    runId,
    goal,
    agentId,
    startedAtSeq: seq,
    endedAtSeq: null,
    reason: null,
    turnsUsed: null,
    totalTokens: null,
    suspensions: 0,
  }
}
