/** Refuses a filter of `reprise inspect` that no record can match. */
import { RepriseError } from '../../errors/index.ts'
import type { RecordFilter, TapeSummary } from '../../tape/inspect.ts'
import { kinds } from '../../tape/kinds.ts'
import { readTapeEvents } from '../../tape/reader.ts'
import { nearest } from '../usage-error.ts'

/** A kind that neither the format nor the tape has, and a number that the tape does not have. */
export function refuseNoMatch(
  path: string,
  { kind, seq }: RecordFilter,
  { kinds: onTape, damage }: TapeSummary,
): void {
  if (kind !== undefined && !(kind in onTape) && !(kind in kinds)) {
    const meant = nearest(kind, [...Object.keys(onTape), ...Object.keys(kinds)])
    const hint = `${meant === null ? '' : `did you mean ${meant}? `}This tape has ${Object.keys(onTape).join(', ') || 'no records'}`
    throw new RepriseError('usage', `--kind ${kind}: there is no such kind of record`, { hint })
  }
  if (seq === undefined) return
  let last = -1
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    if (event.record.seq === seq) return
    last = Math.max(last, event.record.seq)
  }
  const range = last < 0 ? 'the tape has no records' : `the numbers of this tape go from 0 to ${last}`
  const lost = damage.length === 0 ? '' : `; ${damage.length} damaged line(s) were stepped over`
  throw new RepriseError('usage', `--at ${seq}: there is no such record`, { hint: `${range}${lost}` })
}
