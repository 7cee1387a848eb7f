/**
 * Stops a replay after a record: nothing more is delivered, and calls that the program starts after it are
 * refused. The verdict is about the records up to there.
 */
import { realSetImmediate } from '../../real/clock.ts'
import type { ReplayParts } from '../compose/replay-contract.ts'
import type { ReplayReport } from '../verdict/verdict.ts'

/** A record of the tape that a run has made again. */
export type ReplayedRecord = { readonly seq: number; readonly monotonicMs: number }

type StopAt = {
  readonly parts: ((parts: ReplayParts) => ReplayParts) | undefined
  reached(seq: number): void
  isOver(): boolean
  /** Resolves when the program has received the record; never without one. */
  readonly stopped: Promise<{ readonly type: 'stopped' }>
  judged(report: ReplayReport): ReplayReport
}

/** For what the run left over. */
const AFTER = new Set(['ended_early', 'random_missing', 'clock_missing', 'not_live'])

/** `until` null: the replay runs to its end. */
export function stopAt(until: number | null): StopAt {
  let isOver = false
  let stop = (): void => undefined
  const stopped = new Promise<{ readonly type: 'stopped' }>((resolve) => {
    stop = () => resolve({ type: 'stopped' })
  })
  return {
    stopped,
    parts:
      until === null
        ? undefined
        : (parts) => ({
            ...parts,
            source(tape) {
              const source = parts.source(tape)
              return {
                ...source,
                next: () => (isOver ? 'idle' : source.next()),
                start: (start, description) => (isOver ? null : source.start(start, description)),
                answer: (call, perform) => (isOver ? null : source.answer(call, perform)),
                refusing: () => (isOver ? 'refuse' : (source.refusing?.() ?? null)),
              }
            },
          }),
    isOver: () => isOver,
    reached(seq) {
      if (until === null || isOver || seq < until) return
      isOver = true
      // After the program has received it, with everything that directly follows from it.
      realSetImmediate(stop)
    },
    judged(report) {
      const divergences = report.divergences.filter(
        ({ seq, category }) => seq !== null && until !== null && seq <= until && !AFTER.has(category),
      )
      const verdict = divergences.length > 0 ? 'diverged' : 'faithful'
      return {
        ...report,
        verdict: report.verdict === 'unverified' ? 'unverified' : verdict,
        divergences,
        unused: [],
      }
    },
  }
}
