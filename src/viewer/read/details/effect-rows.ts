/** The rows of one effect, from its start to its end, read block by block. */
import { BLOCK_ROWS, FLAG, NONE, type RowEntry } from '../../layout/rows.ts'
import { lineText, recordOf } from '../lines.ts'
import type { TapeIndexReader } from '../tape-index.ts'
import type { WireObject } from '../wire.ts'

/** No further than this is looked for the rows of an effect. */
const MAX_SCANNED_ROWS = 200_000

export type EffectRow = { readonly row: number; readonly entry: RowEntry; readonly kind: string }

export function startOf(row: number, entry: RowEntry): number | null {
  if ((entry.flags & FLAG.start) !== 0) return row
  return entry.effect === NONE ? null : entry.effect
}

export async function effectRows(
  index: TapeIndexReader,
  start: number,
  most: number,
): Promise<{ rows: EffectRow[]; more: number }> {
  const last = (await index.row(start))?.effect ?? NONE
  const end = Math.min(last === NONE ? start : last, start + MAX_SCANNED_ROWS)
  const rows: EffectRow[] = []
  let more = 0
  for (let from = start; from <= end; from += BLOCK_ROWS * 16) {
    const to = Math.min(from + BLOCK_ROWS * 16, end + 1)
    const table = await index.rows(from, to)
    for (let row = from; row < Math.min(to, table.end); row += 1) {
      const isOther = (table.flags(row) & FLAG.start) !== 0 || table.effect(row) !== start
      if (row !== start && isOther) continue
      if (rows.length === most) more += 1
      else rows.push({ row, entry: table.at(row), kind: index.metadata.kinds[table.kind(row)] ?? 'unknown' })
    }
  }
  return { rows, more }
}

/** The `kind` object of a row; empty for a line that is damaged. */
export async function kindOfRow(index: TapeIndexReader, entry: RowEntry): Promise<WireObject> {
  return recordOf(await lineText(index, entry))?.kind ?? {}
}
