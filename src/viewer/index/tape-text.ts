/**
 * Gives the bytes of a tape to the trigram index, cut at the offsets where blocks of rows begin. A line that
 * began in an earlier chunk is kept until its end, so that all of its bytes count for its own block.
 */
export class TapeText {
  readonly #add: (bytes: Uint8Array, from: number, to: number) => void
  /** Bytes of the tape that are here and not yet given on, in order, and the offset of the first. */
  #pieces: Uint8Array[] = []
  #start = 0
  #bytes = 0
  /** The last two bytes that were given on. */
  #tail: readonly number[] = []

  constructor(add: (bytes: Uint8Array, from: number, to: number) => void) {
    this.#add = add
  }

  push(chunk: Uint8Array): void {
    this.#pieces.push(chunk)
    this.#bytes += chunk.byteLength
  }

  /** Gives on what is before `offset`. */
  upTo(offset: number): void {
    while (this.#start < offset) {
      const [piece] = this.#pieces
      if (piece === undefined) return
      const take = Math.min(piece.byteLength, offset - this.#start)
      this.#addAcross(piece, take)
      this.#add(piece, 0, take)
      this.#start += take
      this.#bytes -= take
      if (take === piece.byteLength) this.#pieces.shift()
      else this.#pieces[0] = piece.subarray(take)
    }
  }

  /** Trigrams that begin in the piece before and end in this one. */
  #addAcross(piece: Uint8Array, length: number): void {
    const joined = [...this.#tail, ...piece.subarray(0, Math.min(2, length))]
    this.#add(Uint8Array.from(joined), 0, joined.length)
    this.#tail =
      length >= 2
        ? [...piece.subarray(length - 2, length)]
        : [...this.#tail, ...piece.subarray(0, length)].slice(-2)
  }

  /** The last chunk is about to be reused: gives on all whole lines and copies the unfinished one. */
  release(): void {
    const last = this.#pieces.at(-1)
    if (last === undefined) return
    const end = last.lastIndexOf(10) + 1
    if (end > 0) this.upTo(this.#start + this.#bytes - (last.byteLength - end))
    if (this.#bytes > MAX_HELD_BYTES) this.upTo(Number.POSITIVE_INFINITY)
    const rest = this.#pieces.pop()
    if (rest !== undefined) this.#pieces.push(rest.slice())
  }
}

/** A longer line is given on in parts. */
const MAX_HELD_BYTES = 8 * 1024 * 1024
