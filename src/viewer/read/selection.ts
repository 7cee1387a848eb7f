/**
 * The rows that a filter selects, without a list of them: a count per block of 256 rows, so that any window
 * is found by bisection and a look into a few blocks. Kinds, lanes, phases and notable rows alone are counted
 * from the index; other filters read the rows once.
 */
import { BLOCK_ROWS, FLAG, type RowTable } from '../layout/rows.ts'
import { LANES, type RowFilter } from '../protocol/rows.ts'
import type { TapeIndexReader } from './tape-index.ts'
import { hasOwnCount } from './tape-index.ts'

export type Selection = {
  readonly total: number
  readonly capped: boolean
  /** Rows at positions `from … from + count` of the selection, in order. */
  rows(from: number, count: number): Promise<readonly number[]>
  position(row: number): Promise<{ readonly position: number; readonly matches: boolean }>
}

type Test = (table: RowTable, row: number) => boolean

export async function selectRows(index: TapeIndexReader, filter: RowFilter): Promise<Selection> {
  const [first, end] = await rangeOf(index, filter)
  const test = testOf(index, filter)
  const before = (await countsFromIndex(index, filter)) ?? (await countsByReading(index, test, first, end))
  return selectionOf(index, test, before, first, end)
}

/** A list of rows that was found by a search, narrowed by a filter. */
export async function selectionOfList(
  index: TapeIndexReader,
  found: readonly number[],
  capped: boolean,
  filter: RowFilter,
): Promise<Selection> {
  const [first, end] = await rangeOf(index, filter)
  const test = testOf(index, filter)
  const kept: number[] = []
  for (const row of found) {
    if (row < first || row >= end) continue
    if (test(await index.rows(row, row + 1), row)) kept.push(row)
  }
  return {
    total: kept.length,
    capped,
    rows: async (from, count) => kept.slice(from, from + count),
    position: async (row) => {
      const position = kept.findIndex((each) => each >= row)
      return position < 0
        ? { position: kept.length, matches: false }
        : { position, matches: kept[position] === row }
    },
  }
}

async function rangeOf(index: TapeIndexReader, filter: RowFilter): Promise<readonly [number, number]> {
  const { rows } = index.metadata
  const [fromTime, toTime] = await Promise.all([
    filter.fromMs === undefined ? 0 : index.rowAtTime(filter.fromMs),
    filter.toMs === undefined ? rows : firstAfter(index, filter.toMs),
  ])
  const first = Math.min(Math.max(fromTime, Math.ceil(filter.fromRow ?? 0), 0), rows)
  return [first, Math.max(first, Math.min(toTime, Math.ceil(filter.toRow ?? rows), rows))]
}

/** The first row later than this time. */
function firstAfter(index: TapeIndexReader, atMs: number): Promise<number> {
  return index.rowAtTime(nextUp(atMs))
}

/** The next larger double: times are compared with `>=`. */
function nextUp(value: number): number {
  if (!Number.isFinite(value)) return value
  if (value === 0) return Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return view.getFloat64(0)
}

function testOf(index: TapeIndexReader, filter: RowFilter): Test {
  const tests: Test[] = []
  const { kinds, lanes, phase, effectRow, notable } = filter
  if (kinds !== undefined) {
    const wanted = new Set(numbersOfKinds(index, kinds))
    tests.push((table, row) => wanted.has(table.kind(row)))
  }
  if (lanes !== undefined) {
    const wanted = new Set(lanes.map((lane) => LANES.indexOf(lane)))
    tests.push((table, row) => wanted.has(table.lane(row)))
  }
  if (phase !== undefined) {
    const wanted = phase === 'runtime_finalize'
    tests.push((table, row) => ((table.flags(row) & FLAG.finalize) !== 0) === wanted)
  }
  if (notable === true) tests.push((table, row) => (table.flags(row) & FLAG.notable) !== 0)
  if (effectRow !== undefined) {
    tests.push(
      (table, row) =>
        row === effectRow || ((table.flags(row) & FLAG.start) === 0 && table.effect(row) === effectRow),
    )
  }
  return (table, row) => tests.every((test) => test(table, row))
}

function numbersOfKinds(index: TapeIndexReader, kinds: readonly string[]): number[] {
  return index.metadata.kinds.flatMap((name, number) => (kinds.includes(name) ? [number] : []))
}

/** Rows before each block that match, if the index counts exactly this; else null. */
async function countsFromIndex(index: TapeIndexReader, filter: RowFilter): Promise<Uint32Array | null> {
  const { kinds, lanes, phase, effectRow, notable } = filter
  const narrowing = [kinds, lanes, phase, notable === true ? true : undefined, effectRow].filter(
    (each) => each !== undefined,
  )
  if (effectRow !== undefined || narrowing.length > 1) return null
  if (kinds !== undefined) {
    const numbers = numbersOfKinds(index, kinds)
    return numbers.every(hasOwnCount) ? await index.kindsBefore(numbers) : null
  }
  const blocks = await index.blocks()
  const counts = new Uint32Array(blocks.count + 1)
  const laneNumbers = [...new Set((lanes ?? []).map((lane) => LANES.indexOf(lane)))]
  for (let block = 0; block <= blocks.count; block += 1) {
    const all = blocks.rowsBefore(block)
    if (lanes !== undefined)
      counts[block] = laneNumbers.reduce((sum, lane) => sum + blocks.laneBefore(block, lane), 0)
    else if (notable === true) counts[block] = blocks.notableBefore(block)
    else if (phase === 'runtime_finalize') counts[block] = blocks.finalizeBefore(block)
    else if (phase === 'user_script') counts[block] = all - blocks.finalizeBefore(block)
    else counts[block] = all
  }
  return counts
}

const BLOCKS_AT_ONCE = 128

/** Counts only inside the range; blocks outside it count as empty. */
async function countsByReading(
  index: TapeIndexReader,
  test: Test,
  first: number,
  end: number,
): Promise<Uint32Array> {
  const counts = new Uint32Array(index.metadata.blocks + 1)
  const [firstBlock, endBlock] = [Math.floor(first / BLOCK_ROWS), Math.ceil(end / BLOCK_ROWS)]
  let sum = 0
  for (let at = firstBlock; at < endBlock; at += BLOCKS_AT_ONCE) {
    const to = Math.min(at + BLOCKS_AT_ONCE, endBlock)
    const table = await index.rows(at * BLOCK_ROWS, to * BLOCK_ROWS)
    for (let block = at; block < to; block += 1) {
      counts[block] = sum
      const until = Math.min((block + 1) * BLOCK_ROWS, table.end)
      for (let row = block * BLOCK_ROWS; row < until; row += 1) if (test(table, row)) sum += 1
    }
  }
  for (let block = endBlock; block < counts.length; block += 1) counts[block] = sum
  return counts
}

async function selectionOf(
  index: TapeIndexReader,
  test: Test,
  before: Uint32Array,
  first: number,
  end: number,
): Promise<Selection> {
  /** Matching rows before `row`, over the whole tape. */
  const rank = async (row: number): Promise<number> => {
    const block = Math.floor(row / BLOCK_ROWS)
    let count = before[block] ?? 0
    if (row % BLOCK_ROWS === 0) return count
    const table = await index.rows(block * BLOCK_ROWS, row)
    for (let at = block * BLOCK_ROWS; at < row; at += 1) if (test(table, at)) count += 1
    return count
  }
  const [low, high] = await Promise.all([rank(first), rank(end)])
  const total = high - low
  return {
    total,
    capped: false,
    async rows(from, count) {
      const found: number[] = []
      const target = low + Math.max(0, from)
      const wanted = Math.min(count, high - target)
      for (
        let block = blockOf(before, target);
        found.length < wanted && block < before.length - 1;
        block += 1
      ) {
        const here = before[block] ?? 0
        if ((before[block + 1] ?? 0) === here) continue
        let number = here
        const table = await index.rows(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS)
        const until = Math.min((block + 1) * BLOCK_ROWS, table.end)
        for (let row = block * BLOCK_ROWS; row < until && found.length < wanted; row += 1) {
          if (!test(table, row)) continue
          if (number >= target) found.push(row)
          number += 1
        }
      }
      return found
    },
    async position(row) {
      const inside = Math.min(Math.max(row, first), end)
      const position = (await rank(inside)) - low
      const table = row >= first && row < end ? await index.rows(row, row + 1) : null
      return { position, matches: table !== null && test(table, row) }
    },
  }
}

/** The last block with at most `target` rows before it. */
function blockOf(before: Uint32Array, target: number): number {
  let [low, high] = [0, before.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((before[middle] ?? 0) <= target) low = middle
    else high = middle - 1
  }
  return low
}
