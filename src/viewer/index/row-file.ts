/**
 * Writes `rows.bin`. An `effect_start` is written before the end of its effect is known: its row is changed
 * afterwards, in the buffer while it is there, else together with others, because a long stream would
 * otherwise cost one small write per chunk.
 */
import { INDEX_FILES } from '../layout/metadata.ts'
import { ROW_BYTES, type RowEntry, writeRow } from '../layout/rows.ts'
import { AppendFile } from './append-file.ts'

const BUFFER_BYTES = 64 * 1024 * ROW_BYTES
const EFFECT_OFFSET = 28
const MAX_WAITING = 10_000

export class RowFile {
  readonly #file: AppendFile
  /** Last rows of effects whose start is in the file already. */
  readonly #waiting = new Map<number, number>()

  constructor(folder: string) {
    this.#file = new AppendFile(`${folder}/${INDEX_FILES.rows}`, BUFFER_BYTES)
  }

  append(row: RowEntry): void {
    this.#file.append(ROW_BYTES, (view, at) => writeRow(view, at, row))
  }

  /** `row` is the last row so far of the effect that began in `startRow`. */
  setLastRow(startRow: number, row: number): void {
    const offset = startRow * ROW_BYTES + EFFECT_OFFSET
    if (this.#file.isBuffered(offset)) this.#file.patchU32(offset, row)
    else {
      this.#waiting.set(startRow, row)
      if (this.#waiting.size >= MAX_WAITING) this.#patchWaiting()
    }
  }

  flush(): void {
    this.#patchWaiting()
    this.#file.flush()
  }

  close(): void {
    this.#file.close()
  }

  #patchWaiting(): void {
    for (const [startRow, row] of this.#waiting)
      this.#file.patchU32(startRow * ROW_BYTES + EFFECT_OFFSET, row)
    this.#waiting.clear()
  }
}
