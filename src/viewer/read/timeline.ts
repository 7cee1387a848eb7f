/**
 * Counts per lane and bucket, and the longest spans, of any part of a tape. Reads at most a few hundred
 * kilobytes, whatever its size.
 */
import type { BlockTable } from '../layout/blocks.ts'
import { BLOCK_ROWS, FLAG, laneName, type RowTable } from '../layout/rows.ts'
import {
  type Buckets,
  type BucketsRequest,
  LANES,
  type Row,
  type Span,
  type Spans,
  type SpansRequest,
} from '../protocol/rows.ts'
import type { TapeIndexReader } from './tape-index.ts'

const MAX_BUCKETS = 2000
const MAX_SPANS = 2000
/** Up to so many rows are read and counted one by one. */
const EXACT_ROWS = 64 * BLOCK_ROWS

export async function bucketsOf(index: TapeIndexReader, request: BucketsRequest): Promise<Buckets> {
  const { axis, from, to } = request
  const count = Math.max(1, Math.min(MAX_BUCKETS, Math.floor(request.count)))
  const edges = Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count)
  const [firstRow, endRow] = await rowRange(index, request)
  const table = endRow - firstRow <= EXACT_ROWS ? await index.rows(firstRow, endRow) : null
  const firstRows =
    table === null
      ? await spreadRows(index, axis, edges)
      : edges.map((edge) => rowAtEdge(table, axis, edge, firstRow, endRow))
  const lanes = table === null ? spreadCounts(await index.blocks(), firstRows) : exactCounts(table, firstRows)
  return { axis, from, to, lanes, firstRows: firstRows.map(Math.floor), exact: table !== null }
}

async function rowRange(
  index: TapeIndexReader,
  range: Pick<BucketsRequest, 'axis' | 'from' | 'to'>,
): Promise<[number, number]> {
  if (range.axis === 'time') return [await index.rowAtTime(range.from), await index.rowAtTime(range.to)]
  const clamp = (row: number): number => Math.min(Math.max(0, Math.ceil(row)), index.metadata.rows)
  return [clamp(range.from), clamp(range.to)]
}

function rowAtEdge(
  table: RowTable,
  axis: BucketsRequest['axis'],
  edge: number,
  first: number,
  end: number,
): number {
  if (axis === 'record') return Math.min(Math.max(Math.ceil(edge), first), end)
  let [low, high] = [first, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (table.atMs(middle) < edge) low = middle + 1
    else high = middle
  }
  return low
}

/** A row number per edge, with a fraction: inside a block rows are taken as evenly spread over its time. */
async function spreadRows(
  index: TapeIndexReader,
  axis: BucketsRequest['axis'],
  edges: readonly number[],
): Promise<number[]> {
  const { rows } = index.metadata
  if (axis === 'record') return edges.map((edge) => Math.min(Math.max(edge, 0), rows))
  const blocks = await index.blocks()
  let block = 0
  return edges.map((edge) => {
    while (block < blocks.count && blocks.firstMs(block + 1) < edge) block += 1
    if (block >= blocks.count) return rows
    const [start, end] = [blocks.firstMs(block), blocks.firstMs(block + 1)]
    if (edge <= start) return blocks.rowsBefore(block)
    const share = end > start ? Math.min(1, (edge - start) / (end - start)) : 1
    return blocks.rowsBefore(block) + share * (blocks.rowsBefore(block + 1) - blocks.rowsBefore(block))
  })
}

function spreadCounts(blocks: BlockTable, edges: readonly number[]): number[][] {
  return LANES.map((_, lane) => {
    const before = edges.map((row) => {
      const block = Math.min(Math.floor(row / BLOCK_ROWS), blocks.count)
      const here = blocks.laneBefore(block, lane)
      if (block === blocks.count) return here
      const size = blocks.rowsBefore(block + 1) - blocks.rowsBefore(block)
      const share = size === 0 ? 0 : (row - blocks.rowsBefore(block)) / size
      return Math.round(here + share * (blocks.laneBefore(block + 1, lane) - here))
    })
    return before.slice(1).map((count, at) => count - (before[at] ?? 0))
  })
}

function exactCounts(table: RowTable, firstRows: readonly number[]): number[][] {
  const lanes = LANES.map(() => new Array<number>(firstRows.length - 1).fill(0))
  for (let bucket = 0; bucket < firstRows.length - 1; bucket += 1) {
    for (let row = firstRows[bucket] ?? 0; row < (firstRows[bucket + 1] ?? 0); row += 1) {
      const lane = lanes[table.lane(row)]
      if (lane !== undefined) lane[bucket] = (lane[bucket] ?? 0) + 1
    }
  }
  return lanes
}

/** So many blocks are looked into if there are too many rows: those with the longest spans. */
const MAX_SPAN_BLOCKS = 64

export async function spansOf(index: TapeIndexReader, request: SpansRequest): Promise<Spans> {
  const limit = Math.max(0, Math.min(MAX_SPANS, Math.floor(request.limit)))
  const blocks = await index.blocks()
  const touched: number[] = []
  for (let block = 0; block < blocks.count; block += 1)
    if (touches(blocks, block, request)) touched.push(block)
  const all = touched.length <= MAX_SPAN_BLOCKS
  const chosen = all
    ? touched
    : touched.sort((a, b) => blocks.longestMs(b) - blocks.longestMs(a) || a - b).slice(0, MAX_SPAN_BLOCKS)
  const spans: Span[] = []
  for (const block of chosen) {
    const table = await index.rows(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS)
    const until = Math.min((block + 1) * BLOCK_ROWS, table.end)
    for (let row = block * BLOCK_ROWS; row < until; row += 1) {
      const span = spanAt(index, table, row)
      if (overlaps(span, request)) spans.push(span)
    }
  }
  spans.sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs) || a.row - b.row)
  const kept = spans.slice(0, limit).sort((a, b) => a.row - b.row)
  return { spans: kept, complete: all && kept.length === spans.length }
}

function touches(blocks: BlockTable, block: number, { axis, from, to }: SpansRequest): boolean {
  if (axis === 'record') return blocks.rowsBefore(block) < to && blocks.rowsBefore(block + 1) > from
  return blocks.earliestMs(block) < to && blocks.latestMs(block) >= from
}

function overlaps(span: Span, { axis, from, to }: SpansRequest): boolean {
  return axis === 'record' ? span.row >= from && span.row < to : span.fromMs < to && span.toMs >= from
}

function spanAt(index: TapeIndexReader, table: RowTable, row: number): Span {
  const { atMs, durationMs, kind, lane, flags } = table.at(row)
  const fromMs = Number.isNaN(durationMs) ? atMs : atMs - durationMs
  return {
    row,
    lane: laneName(lane),
    kind: index.metadata.kinds[kind] ?? 'unknown',
    fromMs,
    toMs: atMs,
    tone: toneOf(flags),
  }
}

export function toneOf(flags: number): Row['tone'] {
  if ((flags & FLAG.error) !== 0) return 'error'
  return (flags & FLAG.warning) !== 0 ? 'warning' : 'plain'
}
