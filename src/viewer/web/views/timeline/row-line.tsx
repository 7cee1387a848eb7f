/** One line of the record list. */
import type { Row } from '../../../protocol.ts'
import { formatDuration, formatMoment } from '../../data/format.ts'
import { LANE_NAMES } from '../../data/lanes.ts'

export function RowLine({ row }: { readonly row: Row | null }) {
  if (row === null) {
    return (
      <div class="row-line row-waiting">
        <span class="skeleton" />
      </div>
    )
  }
  return (
    <div class={`row-line tone-${row.tone}`} data-lane={row.lane}>
      <span class="row-seq">{row.seq ?? '–'}</span>
      <span class="row-time">{formatMoment(row.atMs)}</span>
      <span class="dot" title={LANE_NAMES[row.lane]} />
      <span class="row-kind truncate">{row.kind}</span>
      <span class="row-title truncate">{row.title}</span>
      <span class="row-duration">{row.durationMs === null ? '' : formatDuration(row.durationMs)}</span>
    </div>
  )
}
