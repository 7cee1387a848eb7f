/** What the address asks for, as a filter of rows. */
import type { RowFilter } from '../../../protocol.ts'
import type { TimelineLocation } from '../../model/location.ts'

export function filterOf(place: TimelineLocation): RowFilter {
  const { text, kinds, lanes, phase, inRange, from, to, fromRow, toRow } = place
  return {
    ...(text === '' ? {} : { text }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(lanes.length === 0 ? {} : { lanes }),
    ...(phase === null ? {} : { phase }),
    ...(inRange && from !== null ? { fromMs: from } : {}),
    ...(inRange && to !== null ? { toMs: to } : {}),
    ...(fromRow === null ? {} : { fromRow }),
    ...(toRow === null ? {} : { toRow: toRow + 1 }),
  }
}
