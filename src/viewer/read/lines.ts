/**
 * Lines of the tape, by row. Neighbouring lines are read in one range. A line over 256 KiB is read only where
 * it is requested alone: a list shows it by its index entry.
 *
 * Decision 0270.
 */
import { FLAG, laneName, NONE, type RowEntry } from '../layout/rows.ts'
import type { Row } from '../protocol/rows.ts'
import { TAPE_FILE } from './access.ts'
import type { TapeIndexReader } from './tape-index.ts'
import { toneOf } from './timeline.ts'
import { titleOf } from './titles.ts'
import { numberOf, objectOf, parsed, type WireObject } from './wire.ts'

const MAX_LISTED_LINE = 256 * 1024
/** Lines that are no further apart are read together. */
const MAX_GAP_BYTES = 16 * 1024
const MAX_READ_BYTES = 4 * 1024 * 1024

export async function lineText(index: TapeIndexReader, entry: RowEntry): Promise<string> {
  return new TextDecoder().decode(
    await index.files.read(TAPE_FILE, entry.offset, entry.offset + entry.lengthBytes),
  )
}

/** The record on a line, and its `kind`; null for a line that is damaged. */
export function recordOf(text: string): { readonly record: WireObject; readonly kind: WireObject } | null {
  const record = objectOf(parsed(text))
  return record.type === 'record' ? { record, kind: objectOf(record.kind) } : null
}

/** Rows as the list shows them. */
export async function listRows(index: TapeIndexReader, numbers: readonly number[]): Promise<Row[]> {
  const entries = await Promise.all(
    numbers.map(async (row) => {
      const entry = await index.row(row)
      return entry === null ? [] : [{ row, entry }]
    }),
  )
  const known = entries.flat()
  const texts = await readLines(
    index,
    known.filter(({ entry }) => entry.lengthBytes <= MAX_LISTED_LINE).map(({ entry }) => entry),
  )
  return known.map(({ row, entry }) => rowOf(index, row, entry, texts.get(entry.offset) ?? null))
}

export function rowOf(index: TapeIndexReader, row: number, entry: RowEntry, text: string | null): Row {
  const kind = index.metadata.kinds[entry.kind] ?? 'unknown'
  const found = text === null ? null : recordOf(text)
  return {
    row,
    seq: entry.seq === NONE ? null : entry.seq,
    kind,
    lane: laneName(entry.lane),
    phase: (entry.flags & FLAG.finalize) === 0 ? 'user_script' : 'runtime_finalize',
    atMs: entry.atMs,
    durationMs: Number.isNaN(entry.durationMs) ? null : entry.durationMs,
    title: found === null ? plainTitle(kind, entry) : titleOf(found.kind),
    tone: toneOf(entry.flags),
    effectRow: effectRow(row, entry),
    masked: found === null ? 0 : (numberOf(found.record.scrubbed) ?? 0),
    sizeBytes: entry.lengthBytes,
  }
}

function effectRow(row: number, entry: RowEntry): number | null {
  if ((entry.flags & FLAG.start) !== 0) return row
  return entry.effect === NONE ? null : entry.effect
}

function plainTitle(kind: string, { lengthBytes }: RowEntry): string {
  switch (kind) {
    case 'damage':
      return `a damaged line of ${lengthBytes} bytes`
    case 'torn':
      return `the last line was cut off after ${lengthBytes} bytes`
    default:
      return `${kind}: a line of ${lengthBytes} bytes`
  }
}

async function readLines(index: TapeIndexReader, entries: readonly RowEntry[]): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  const decoder = new TextDecoder()
  const groups = grouped([...entries].sort((a, b) => a.offset - b.offset))
  await Promise.all(
    groups.map(async (group) => {
      const [first, last] = [group[0], group.at(-1)]
      if (first === undefined || last === undefined) return
      const bytes = await index.files.read(TAPE_FILE, first.offset, last.offset + last.lengthBytes)
      for (const { offset, lengthBytes } of group) {
        const from = offset - first.offset
        texts.set(offset, decoder.decode(bytes.subarray(from, from + lengthBytes)))
      }
    }),
  )
  return texts
}

function grouped(entries: readonly RowEntry[]): RowEntry[][] {
  const groups: RowEntry[][] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    const [first, last] = [group?.[0], group?.at(-1)]
    const isNear = last !== undefined && entry.offset - (last.offset + last.lengthBytes) <= MAX_GAP_BYTES
    const fits = first !== undefined && entry.offset + entry.lengthBytes - first.offset <= MAX_READ_BYTES
    if (group !== undefined && isNear && fits) group.push(entry)
    else groups.push([entry])
  }
  return groups
}
