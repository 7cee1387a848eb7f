/**
 * BLAKE3 of a file up to the beginning of its last line, while the file is read once. The seal is the last
 * line, and it stores the hash of what is before it. Holds one line at most.
 */
import { type Blake3Stream, type ContentHash, createBlake3 } from '../base/index.ts'
import { MAX_LINE_BYTES } from './lines.ts'

export class ChainHash {
  readonly #hash: Blake3Stream = createBlake3()
  #line: Buffer[] = []
  #lineBytes = 0
  /** Whether the line that is held has its line break. */
  #isEnded = false
  #sizeBytes = 0

  /** The chunk may be reused afterwards. */
  push(chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    // A line break at the very end ends the last line; the one before it ends all other lines.
    const end = chunk.length < 2 ? 0 : chunk.lastIndexOf(10, chunk.length - 2) + 1
    if (end > 0 || this.#isEnded) {
      for (const part of this.#line) this.#hash.update(part)
      this.#hash.update(chunk.subarray(0, end))
      this.#line = []
      this.#lineBytes = 0
    }
    this.#isEnded = chunk.at(-1) === 10
    this.#lineBytes += chunk.length - end
    this.#line.push(Buffer.from(chunk.subarray(end)))
    if (this.#lineBytes <= MAX_LINE_BYTES) return
    // Too long for a line of a tape: it is not the seal, so it need not be held.
    for (const part of this.#line) this.#hash.update(part)
    this.#line = []
  }

  /** The hash of everything before `offset`, or null if that is not where the last line begins. */
  upTo(offset: number): ContentHash | null {
    return this.#sizeBytes - this.#lineBytes === offset ? this.#hash.digest() : null
  }
}
