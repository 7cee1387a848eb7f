/** Keeps the running counts of an index and writes one entry per 256 rows to `blocks.bin` and `kinds.bin`. */
import { BLOCK_BYTES, KIND_BLOCK_BYTES, KIND_SLOTS, LANE_COUNT, writeBlock } from '../layout/blocks.ts'
import { INDEX_FILES } from '../layout/metadata.ts'
import { BLOCK_ROWS, FLAG, type RowEntry } from '../layout/rows.ts'
import { AppendFile } from './append-file.ts'

export class BlockCounts {
  readonly #blocks: AppendFile
  readonly #kindCounts: AppendFile
  /** Counts before the block that is being filled, and up to now. */
  readonly #lanesBefore = new Uint32Array(LANE_COUNT)
  readonly #lanes = new Uint32Array(LANE_COUNT)
  readonly #kindsBefore = new Uint32Array(KIND_SLOTS)
  readonly #kinds = new Uint32Array(KIND_SLOTS)
  #before = { rows: 0, notable: 0, finalize: 0 }
  #rows = 0
  #notable = 0
  #finalize = 0
  #firstMs = 0
  #earliestMs = 0
  #latestMs = 0
  #longestMs = 0
  /** Whole blocks in the files. */
  #written = 0

  constructor(folder: string) {
    this.#blocks = new AppendFile(`${folder}/${INDEX_FILES.blocks}`, 1024 * BLOCK_BYTES)
    this.#kindCounts = new AppendFile(`${folder}/${INDEX_FILES.kinds}`, 256 * KIND_BLOCK_BYTES)
  }

  get lanes(): Uint32Array {
    return this.#lanes
  }

  get rows(): number {
    return this.#rows
  }

  get endMs(): number {
    return this.#latestMs
  }

  add(row: RowEntry): void {
    if (this.#rows % BLOCK_ROWS === 0) this.#begin(row.atMs)
    const duration = Number.isNaN(row.durationMs) ? 0 : row.durationMs
    this.#earliestMs = Math.min(this.#earliestMs, row.atMs - duration)
    this.#latestMs = row.atMs
    this.#longestMs = Math.max(this.#longestMs, duration)
    this.#rows += 1
    this.#lanes[row.lane]! += 1
    this.#kinds[Math.min(row.kind, KIND_SLOTS - 1)]! += 1
    if ((row.flags & FLAG.notable) !== 0) this.#notable += 1
    if ((row.flags & FLAG.finalize) !== 0) this.#finalize += 1
    if (this.#rows % BLOCK_ROWS === 0) this.#write()
  }

  /**
   * Writes the unfinished block and the entry for the end, and everything to the files. Returns the number of
   * blocks.
   */
  finish(): number {
    const unfinished = this.#rows % BLOCK_ROWS !== 0
    if (unfinished) this.#write()
    this.#writeEnd()
    this.#blocks.flush()
    this.#kindCounts.flush()
    return this.#written
  }

  /** After `finish`: goes on with the block that was unfinished. */
  resume(): void {
    if (this.#rows % BLOCK_ROWS !== 0) this.#written -= 1
    this.#blocks.truncate(this.#written * BLOCK_BYTES)
    this.#kindCounts.truncate(this.#written * KIND_BLOCK_BYTES)
  }

  close(): void {
    this.#blocks.close()
    this.#kindCounts.close()
  }

  #begin(firstMs: number): void {
    this.#firstMs = firstMs
    this.#earliestMs = firstMs
    this.#longestMs = 0
    this.#lanesBefore.set(this.#lanes)
    this.#kindsBefore.set(this.#kinds)
    this.#before = { rows: this.#rows, notable: this.#notable, finalize: this.#finalize }
  }

  #write(): void {
    this.#append(
      this.#firstMs,
      this.#earliestMs,
      this.#longestMs,
      this.#lanesBefore,
      this.#kindsBefore,
      this.#before,
    )
    this.#written += 1
  }

  #writeEnd(): void {
    const all = { rows: this.#rows, notable: this.#notable, finalize: this.#finalize }
    this.#append(this.#latestMs, this.#latestMs, 0, this.#lanes, this.#kinds, all)
  }

  #append(
    firstMs: number,
    earliestMs: number,
    longestMs: number,
    lanes: Uint32Array,
    kinds: Uint32Array,
    counts: { readonly rows: number; readonly notable: number; readonly finalize: number },
  ): void {
    const entry = { firstMs, earliestMs, latestMs: this.#latestMs, longestMs, lanes, ...counts }
    this.#blocks.append(BLOCK_BYTES, (view, at) => writeBlock(view, at, entry))
    this.#kindCounts.append(KIND_BLOCK_BYTES, (view, at) => {
      for (let slot = 0; slot < KIND_SLOTS; slot += 1) view.setUint32(at + slot * 4, kinds[slot] ?? 0, true)
    })
  }
}
