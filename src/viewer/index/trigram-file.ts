/**
 * Writes `trigrams.bin`: collects the signature of each block of rows and writes a segment when 4096 of them
 * are there. Holds one segment, 16 MiB at most, whatever the size of the tape.
 */
import { INDEX_FILES } from '../layout/metadata.ts'
import {
  addTrigrams,
  SEGMENT_BLOCKS,
  SIGNATURE_BITS,
  slicesOf,
  type TrigramSegment,
} from '../layout/trigrams.ts'
import { AppendFile } from './append-file.ts'

const WORDS = SIGNATURE_BITS / 32

export class TrigramFile {
  readonly #file: AppendFile
  readonly #segments: TrigramSegment[] = []
  /** Grows with the segment; a small tape needs little. */
  #signatures = new Int32Array(16 * WORDS)
  #current: Int32Array = this.#signatures.subarray(0, WORDS)
  /** Finished blocks of the segment. */
  #blocks = 0
  #firstBlock = 0
  #empty = true

  constructor(folder: string) {
    this.#file = new AppendFile(`${folder}/${INDEX_FILES.trigrams}`, 1024)
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    addTrigrams(this.#current, bytes, from, to)
    this.#empty = false
  }

  /** The bytes from here on belong to the next block. */
  nextBlock(): void {
    this.#blocks += 1
    this.#empty = true
    if (this.#blocks === SEGMENT_BLOCKS) this.#writeSegment(this.#blocks)
    else this.#begin()
  }

  get segments(): readonly TrigramSegment[] {
    return this.#segments
  }

  /** Writes what there is as a last, short segment. `resume` takes it back. */
  finish(): void {
    const blocks = this.#blocks + (this.#empty ? 0 : 1)
    if (blocks > 0) this.#append(blocks)
    this.#file.flush()
  }

  resume(): void {
    const last = this.#segments.at(-1)
    if (last === undefined || last.firstBlock !== this.#firstBlock) return
    this.#segments.pop()
    this.#file.truncate(last.offset)
  }

  close(): void {
    this.#file.close()
  }

  #begin(): void {
    const need = (this.#blocks + 1) * WORDS
    if (need > this.#signatures.length) {
      const larger = new Int32Array(Math.min(this.#signatures.length * 2, SEGMENT_BLOCKS * WORDS))
      larger.set(this.#signatures)
      this.#signatures = larger
    }
    this.#current = this.#signatures.subarray(this.#blocks * WORDS, need)
  }

  #writeSegment(blocks: number): void {
    this.#append(blocks)
    this.#firstBlock += blocks
    this.#blocks = 0
    this.#signatures.fill(0)
    this.#begin()
  }

  #append(blocks: number): void {
    this.#segments.push({ firstBlock: this.#firstBlock, blocks, offset: this.#file.sizeBytes })
    this.#file.appendBytes(slicesOf(this.#signatures, blocks))
  }
}
