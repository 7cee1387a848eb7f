/** What is left of the tape when the program has ended, as divergences of the run. */
import type { ReplayDivergence } from '../difference/divergence.ts'
import {
  endedBefore,
  fewerClockReads,
  moreClockReads,
  skipped,
  unreadRandom,
} from '../difference/sentences.ts'
import { summaryOf } from '../records/delivered-kinds.ts'
import type { TapeState } from './tape-source.ts'

/** `isStrict`: clock reads that only one run makes count too. */
export function endDivergences(state: TapeState, isStrict: boolean): ReplayDivergence[] {
  const found = state.skipped.map((record) => skipped(record.seq, summaryOf(record)))
  if (state.next !== null) found.push(endedBefore(state.next.seq, summaryOf(state.next)))
  const { missingRandomReads, extraClockReads, missingClockReads } = state
  if (missingRandomReads > 0) found.push(unreadRandom(missingRandomReads))
  if (isStrict && extraClockReads > 0) found.push(moreClockReads(extraClockReads))
  if (isStrict && missingClockReads > 0) found.push(fewerClockReads(missingClockReads))
  return found
}
