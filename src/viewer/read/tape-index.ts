/**
 * An index as the readers see it: metadata, the table of blocks in memory (80 bytes per 256 rows), and rows
 * read block by block through a small cache.
 */
import { BLOCK_BYTES, BlockTable, KIND_BLOCK_BYTES, KIND_SLOTS } from '../layout/blocks.ts'
import { INDEX_FILES, type IndexMetadata } from '../layout/metadata.ts'
import { BLOCK_ROWS, NONE, ROW_BYTES, type RowEntry, RowTable } from '../layout/rows.ts'
import type { TapeFiles } from './access.ts'

const MAX_CACHED_BLOCKS = 64

export type TapeIndexReader = {
  readonly files: TapeFiles
  readonly metadata: IndexMetadata
  blocks(): Promise<BlockTable>
  /** Rows `from … to`, at most what is there. */
  rows(from: number, to: number): Promise<RowTable>
  row(row: number): Promise<RowEntry | null>
  /** For each block, and once more for the end: rows of these kinds before it. */
  kindsBefore(kinds: readonly number[]): Promise<Uint32Array>
  /** First row at or after this time; the number of rows if there is none. */
  rowAtTime(atMs: number): Promise<number>
  /** The first row with this `seq`, or null. */
  rowOfSeq(seq: number): Promise<number | null>
}

export function createIndexReader(files: TapeFiles, metadata: IndexMetadata): TapeIndexReader {
  const cache = new Map<number, Promise<RowTable>>()
  let blockTable: Promise<BlockTable> | null = null

  const blocks = (): Promise<BlockTable> => {
    blockTable ??= files
      .read(INDEX_FILES.blocks, 0, (metadata.blocks + 1) * BLOCK_BYTES)
      .then((bytes) => new BlockTable(bytes))
    return blockTable
  }
  const readRows = async (from: number, to: number): Promise<RowTable> => {
    const end = Math.min(to, metadata.rows)
    if (from >= end) return new RowTable(new Uint8Array(), from)
    return new RowTable(await files.read(INDEX_FILES.rows, from * ROW_BYTES, end * ROW_BYTES), from)
  }
  const block = (number: number): Promise<RowTable> => {
    const known = cache.get(number)
    const table = known ?? readRows(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
    cache.delete(number)
    cache.set(number, table)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED_BLOCKS && oldest !== undefined) cache.delete(oldest)
    return table
  }
  const rows = (from: number, to: number): Promise<RowTable> => {
    const first = Math.floor(from / BLOCK_ROWS)
    return to <= (first + 1) * BLOCK_ROWS ? block(first) : readRows(from, to)
  }

  const scanForSeq = async (seq: number): Promise<number | null> => {
    for (let from = 0; from < metadata.rows; from += SCAN_ROWS) {
      const table = await readRows(from, from + SCAN_ROWS)
      for (let row = table.first; row < table.end; row += 1) if (table.seq(row) === seq) return row
    }
    return null
  }

  return {
    files,
    metadata,
    blocks,
    rows,
    async row(row) {
      if (!Number.isInteger(row) || row < 0 || row >= metadata.rows) return null
      return (await block(Math.floor(row / BLOCK_ROWS))).at(row)
    },
    async kindsBefore(kinds) {
      const sums = new Uint32Array(metadata.blocks + 1)
      for (let from = 0; from <= metadata.blocks; from += KIND_BLOCKS_AT_ONCE) {
        const to = Math.min(from + KIND_BLOCKS_AT_ONCE, metadata.blocks + 1)
        const bytes = await files.read(INDEX_FILES.kinds, from * KIND_BLOCK_BYTES, to * KIND_BLOCK_BYTES)
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        for (let at = from; at < to; at += 1) {
          let sum = 0
          for (const kind of kinds) sum += view.getUint32((at - from) * KIND_BLOCK_BYTES + kind * 4, true)
          sums[at] = sum
        }
      }
      return sums
    },
    async rowAtTime(atMs) {
      const table = await blocks()
      let [low, high] = [0, table.count]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (table.firstMs(middle) < atMs) low = middle + 1
        else high = middle
      }
      if (low === 0) return 0
      const before = await block(low - 1)
      for (let row = before.first; row < before.end; row += 1) if (before.atMs(row) >= atMs) return row
      return before.end
    },
    async rowOfSeq(seq) {
      if (!Number.isInteger(seq) || seq < 0 || seq >= NONE) return null
      if (metadata.seqIsRow) return seq < metadata.rows ? seq : null
      if (seq < metadata.rows && (await block(Math.floor(seq / BLOCK_ROWS))).seq(seq) === seq) return seq
      return await scanForSeq(seq)
    },
  }
}

const SCAN_ROWS = 64 * BLOCK_ROWS
const KIND_BLOCKS_AT_ONCE = 4096

/** Kinds that have a count of their own in `kinds.bin`. */
export function hasOwnCount(kind: number): boolean {
  return kind < KIND_SLOTS - 1
}
