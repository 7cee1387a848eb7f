/**
 * What is left of a foreign tape when the program has ended. Clock reads of the phase `runtime_finalize` are
 * upstream's own, made while it winds down: they are counted, and no program has to make them.
 */

import type { Divergence } from '../../../fidelity/divergence.ts'
import { endedBefore, moreNotAskedFor, notAskedFor } from '../../../fidelity/sentences.ts'
import { kindName } from '../../../tape/index.ts'
import { type ForeignRecords, recordText } from './foreign-records.ts'

export type LeftOver = {
  readonly divergences: readonly Divergence[]
  readonly doubts: readonly string[]
  readonly missingClockReads: number
}

const MAX_LISTED = 100

export function leftOver(records: ForeignRecords): LeftOver {
  const divergences: Divergence[] = []
  let missingClockReads = 0
  let count = 0
  for (const record of records.left()) {
    if (record.kind.kind === 'clock_read') missingClockReads += 1
    if (record.kind.kind === 'clock_read' && record.phase === 'runtime_finalize') continue
    count += 1
    if (count > MAX_LISTED) continue
    const make = count === 1 ? endedBefore : notAskedFor
    divergences.push(make(record.seq, recordText(record)))
  }
  if (count > MAX_LISTED) divergences.push(moreNotAskedFor(count - MAX_LISTED))
  return { divergences, doubts: doubtsOf(records), missingClockReads }
}

/** Records that no program asks for make the verdict `unverified`. */
function doubtsOf({ unserved }: ForeignRecords): string[] {
  const [first] = unserved
  if (first === undefined) return []
  const others = unserved.length > 1 ? ` (and ${unserved.length - 1} more)` : ''
  return [`record ${first.seq} is a ${kindName(first.kind)}, which a replay cannot serve${others}`]
}
