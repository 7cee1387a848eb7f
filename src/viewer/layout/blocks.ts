/**
 * `blocks.bin`: one entry of 80 bytes per 256 rows, and `kinds.bin`: 64 counts of 4 bytes per 256 rows.
 * Little-endian.
 *
 * Counts are those of all rows before the block, so the rows of a lane or a kind in any range are one
 * subtraction, and the n-th row of a lane is found by bisection. Both files have one more entry for the end.
 *
 * | at | type | what |
 * |---|---|---|
 * | 0 | f64 | time of the first row |
 * | 8 | f64 | earliest start of a span in the block |
 * | 16 | f64 | latest end |
 * | 24 | f32 | longest duration, 0 if there is none |
 * | 28 | u32 | rows before the block |
 * | 32 | u32 × 10 | rows per lane before the block |
 * | 72 | u32 | notable rows before the block |
 * | 76 | u32 | rows of the phase `runtime_finalize` before the block |
 */
export const BLOCK_BYTES = 80
export const LANE_COUNT = 10
/** Kinds from this number on are counted together in the last slot. */
export const KIND_SLOTS = 64
export const KIND_BLOCK_BYTES = KIND_SLOTS * 4

export type BlockEntry = {
  readonly firstMs: number
  readonly earliestMs: number
  readonly latestMs: number
  readonly longestMs: number
  readonly rows: number
  readonly lanes: ArrayLike<number>
  readonly notable: number
  readonly finalize: number
}

export function writeBlock(view: DataView, at: number, block: BlockEntry): void {
  view.setFloat64(at, block.firstMs, true)
  view.setFloat64(at + 8, block.earliestMs, true)
  view.setFloat64(at + 16, block.latestMs, true)
  view.setFloat32(at + 24, block.longestMs, true)
  view.setUint32(at + 28, block.rows, true)
  for (let lane = 0; lane < LANE_COUNT; lane += 1)
    view.setUint32(at + 32 + lane * 4, block.lanes[lane] ?? 0, true)
  view.setUint32(at + 72, block.notable, true)
  view.setUint32(at + 76, block.finalize, true)
}

/** All blocks of a tape: 80 bytes per 256 rows. */
export class BlockTable {
  /** Blocks, without the entry for the end. */
  readonly count: number
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.count = Math.max(0, Math.floor(bytes.byteLength / BLOCK_BYTES) - 1)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  firstMs(block: number): number {
    return this.#view.getFloat64(block * BLOCK_BYTES, true)
  }

  earliestMs(block: number): number {
    return this.#view.getFloat64(block * BLOCK_BYTES + 8, true)
  }

  latestMs(block: number): number {
    return this.#view.getFloat64(block * BLOCK_BYTES + 16, true)
  }

  longestMs(block: number): number {
    return this.#view.getFloat32(block * BLOCK_BYTES + 24, true)
  }

  rowsBefore(block: number): number {
    return this.#view.getUint32(block * BLOCK_BYTES + 28, true)
  }

  laneBefore(block: number, lane: number): number {
    return this.#view.getUint32(block * BLOCK_BYTES + 32 + lane * 4, true)
  }

  notableBefore(block: number): number {
    return this.#view.getUint32(block * BLOCK_BYTES + 72, true)
  }

  finalizeBefore(block: number): number {
    return this.#view.getUint32(block * BLOCK_BYTES + 76, true)
  }
}
