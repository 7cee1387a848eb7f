/**
 * `rows.bin`: one entry of 40 bytes per row of a tape, in file order, little-endian.
 *
 * | at | type | what |
 * |---|---|---|
 * | 0 | f64 | offset of the line in the tape |
 * | 8 | f64 | milliseconds since the start of the recording, never less than in the row before |
 * | 16 | u32 | `seq` of the record, or NONE |
 * | 20 | u32 | length of the line in bytes, without its line break |
 * | 24 | f32 | duration in milliseconds, or NaN |
 * | 28 | u32 | effect: of an `effect_start` the last row of the effect, of its other rows the
 *   `effect_start`; or NONE |
 * | 32 | u32 | the row before with the same file, or the call of a model before; or NONE |
 * | 36 | u16 | number of the kind in `kinds` of the metadata |
 * | 38 | u8 | number of the lane in LANES |
 * | 39 | u8 | flags |
 */
import { LANES, type Lane } from '../protocol/rows.ts'

export const ROW_BYTES = 40
export const BLOCK_ROWS = 256
export const NONE = 0xffffffff

export const FLAG = { finalize: 1, error: 2, warning: 4, masked: 8, notable: 16, start: 32 } as const

export type RowEntry = {
  readonly offset: number
  readonly atMs: number
  readonly seq: number
  readonly lengthBytes: number
  /** NaN if unknown. */
  readonly durationMs: number
  readonly effect: number
  readonly previous: number
  readonly kind: number
  readonly lane: number
  readonly flags: number
}

export function writeRow(view: DataView, at: number, row: RowEntry): void {
  view.setFloat64(at, row.offset, true)
  view.setFloat64(at + 8, row.atMs, true)
  view.setUint32(at + 16, row.seq, true)
  view.setUint32(at + 20, row.lengthBytes, true)
  view.setFloat32(at + 24, row.durationMs, true)
  view.setUint32(at + 28, row.effect, true)
  view.setUint32(at + 32, row.previous, true)
  view.setUint16(at + 36, row.kind, true)
  view.setUint8(at + 38, row.lane)
  view.setUint8(at + 39, row.flags)
}

/** Rows in memory, read field by field: nothing is decoded before it is used. */
export class RowTable {
  readonly first: number
  readonly count: number
  readonly #view: DataView

  /** `first` is the number of the first row in `bytes`. */
  constructor(bytes: Uint8Array, first: number) {
    this.first = first
    this.count = Math.floor(bytes.byteLength / ROW_BYTES)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  at(row: number): RowEntry {
    const at = (row - this.first) * ROW_BYTES
    const view = this.#view
    return {
      offset: view.getFloat64(at, true),
      atMs: view.getFloat64(at + 8, true),
      seq: view.getUint32(at + 16, true),
      lengthBytes: view.getUint32(at + 20, true),
      durationMs: view.getFloat32(at + 24, true),
      effect: view.getUint32(at + 28, true),
      previous: view.getUint32(at + 32, true),
      kind: view.getUint16(at + 36, true),
      lane: view.getUint8(at + 38),
      flags: view.getUint8(at + 39),
    }
  }

  atMs(row: number): number {
    return this.#view.getFloat64((row - this.first) * ROW_BYTES + 8, true)
  }

  seq(row: number): number {
    return this.#view.getUint32((row - this.first) * ROW_BYTES + 16, true)
  }

  durationMs(row: number): number {
    return this.#view.getFloat32((row - this.first) * ROW_BYTES + 24, true)
  }

  effect(row: number): number {
    return this.#view.getUint32((row - this.first) * ROW_BYTES + 28, true)
  }

  kind(row: number): number {
    return this.#view.getUint16((row - this.first) * ROW_BYTES + 36, true)
  }

  lane(row: number): number {
    return this.#view.getUint8((row - this.first) * ROW_BYTES + 38)
  }

  flags(row: number): number {
    return this.#view.getUint8((row - this.first) * ROW_BYTES + 39)
  }

  get end(): number {
    return this.first + this.count
  }
}

export function laneName(lane: number): Lane {
  return LANES[lane] ?? 'other'
}
