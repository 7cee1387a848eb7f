/**
 * What is left of the tape when the program has ended, as divergences of the run. An outcome that only has the
 * number of its effect is named by the request too: the tape is read again for it, but only then.
 */

import type { Divergence } from '../../fidelity/divergence.ts'
import {
  endedBefore,
  fewerClockReads,
  moreClockReads,
  skipped,
  unreadRandom,
} from '../../fidelity/sentences.ts'
import { readTapeEvents } from '../../tape/index.ts'
import { type Delivery, effectOf, summaryOf } from '../records/delivered-kinds.ts'
import { SUPPORTING } from './expected-call.ts'
import type { TapeState } from './tape-source-contract.ts'

/** `isStrict`: clock reads that only one run makes count too. */
export function endDivergences(path: string, state: TapeState, isStrict: boolean): Divergence[] {
  const left = state.next === null ? state.skipped : [...state.skipped, state.next]
  const keys = requestKeys(path, left)
  const nameOf = (record: Delivery): string => {
    const key = keys.get(effectOf(record))
    return key === undefined ? summaryOf(record) : `${summaryOf(record)} (${key})`
  }
  const found = state.skipped.map((record) => skipped(record.seq, nameOf(record)))
  if (state.next !== null) found.push(endedBefore(state.next.seq, nameOf(state.next)))
  const { missingRandomReads, extraClockReads, missingClockReads } = state
  if (missingRandomReads > 0) found.push(unreadRandom(missingRandomReads))
  if (isStrict && extraClockReads > 0) found.push(moreClockReads(extraClockReads))
  if (isStrict && missingClockReads > 0) found.push(fewerClockReads(missingClockReads))
  return found
}

/** The requests of outcomes that are named by a number. A connection is named by the request that it is for. */
function requestKeys(path: string, left: readonly Delivery[]): ReadonlyMap<number, string> {
  const wanted = new Set(
    left.filter((record) => /#\d+\b/.test(summaryOf(record))).map((record) => effectOf(record)),
  )
  const keys = new Map<number, string>()
  const carriers = new Set<number>()
  if (wanted.size === 0) return keys
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record' || event.record.kind.kind !== 'effect_start') continue
    const { id, key } = event.record.kind
    if (wanted.has(id)) keys.set(id, key)
    if (!SUPPORTING.test(key)) {
      for (const carrier of carriers) keys.set(carrier, `${keys.get(carrier)}, for ${key}`)
      carriers.clear()
    } else if (wanted.has(id)) carriers.add(id)
    if (keys.size === wanted.size && carriers.size === 0) break
  }
  return keys
}
