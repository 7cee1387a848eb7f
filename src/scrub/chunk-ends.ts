/**
 * How many bytes at the end of a chunk may be the beginning of a secret, for a chunk in which no rule has a place to
 * check. Chunks of binary protocols end soon after a control character, which no beginning of a secret contains: then
 * only the bytes after it count. They are few and repeat, so the answer is kept.
 *
 * Decision 0610.
 */

/** Not the zero byte, which text in UTF-16 has. */
const FIRST_CONTROL = 1
const LAST_CONTROL = 8
const LONGEST_END = 15
/** The bytes of a longer end do not fit into a number. */
const LONGEST_KEPT = 3
const MOST_KEPT = 4096

export function isControl(code: number): boolean {
  return code >= FIRST_CONTROL && code <= LAST_CONTROL
}

export function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (isControl(text.charCodeAt(at))) return true
  return false
}

export class ChunkEnds {
  readonly #certain: (end: string) => number
  readonly #known = new Map<number, number>()
  #version = -1

  /**
   * `certain` returns the offset from which a text may be the beginning of a secret; -1 if only a search can decide.
   * The texts consist of a control character and the bytes after it.
   */
  constructor(certain: (end: string) => number) {
    this.#certain = certain
  }

  /** -1 if more bytes count than the last ones, or if only a search can decide. */
  undecidedOf(bytes: Uint8Array, version: number): number {
    const { length } = bytes
    const least = Math.max(0, length - LONGEST_END - 1)
    let start = length
    let key = 1
    while (start > least && !isControl(bytes[start - 1] ?? 0)) {
      start -= 1
      key = (key << 8) | (bytes[start] ?? 0)
    }
    if (start === least) return -1
    if (start === length) return 0
    if (length - start > LONGEST_KEPT) return this.#undecided(endFrom(bytes, start))
    if (version !== this.#version || this.#known.size > MOST_KEPT) {
      this.#known.clear()
      this.#version = version
    }
    let undecided = this.#known.get(key)
    if (undecided === undefined) {
      undecided = this.#undecided(endFrom(bytes, start))
      this.#known.set(key, undecided)
    }
    return undecided
  }

  #undecided(end: string): number {
    const certain = this.#certain(end)
    return certain < 0 ? -1 : end.length - certain
  }
}

function endFrom(bytes: Uint8Array, start: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start - 1)
}
