/** What is left of the tape when the program has ended, as divergences of the run. */
import type { ReplayDivergence } from '../difference/divergence.ts'
import { summaryOf } from '../records/delivered-kinds.ts'
import type { TapeState } from './tape-source.ts'

/** `isStrict`: clock reads that only one run makes count too. */
export function endDivergences(state: TapeState, isStrict: boolean): ReplayDivergence[] {
  const found: ReplayDivergence[] = []
  for (const record of state.skipped) {
    const expected = summaryOf(record)
    const message = `Record ${record.seq} was passed over: the tape has ${expected}, and the program did not ask for it`
    found.push({ seq: record.seq, category: 'not_asked_for', message, expected, actual: null, path: null })
  }
  if (state.next !== null) {
    const { seq } = state.next
    const expected = summaryOf(state.next)
    const message = `The program ended before record ${seq}: the tape goes on with ${expected}`
    found.push({ seq, category: 'ended_early', message, expected, actual: 'the end of the program', path: null })
  }
  const sum = (category: string, count: number, message: string, expected: string | null, actual: string): void => {
    if (count > 0) found.push({ seq: null, category, message, expected, actual, path: null })
  }
  const { missingRandomReads, extraClockReads, missingClockReads } = state
  sum('random_missing', missingRandomReads, `${missingRandomReads} random value(s) on the tape were not asked for`, String(missingRandomReads), '0')
  if (!isStrict) return found
  sum('clock_extra', extraClockReads, `${extraClockReads} clock read(s) that are not on the tape`, null, String(extraClockReads))
  sum('clock_missing', missingClockReads, `${missingClockReads} clock read(s) on the tape that were not made`, null, String(missingClockReads))
  return found
}
