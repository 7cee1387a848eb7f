/**
 * One pass over a text that finds every place where a rule has to look: a Wu-Manber scan over four-character probes, blocks of two.
 *
 * Works on low bytes. A character beyond U+00FF can only make a false place, never hide one, since every probe is compared by its low bytes as well;
 * the rule's check looks at the text itself.
 */

export type Place<T> = { readonly at: number; readonly owner: T }

const BLOCK_BITS = 16
const FURTHEST = 3
const WINDOW = 1 << 16
const scratch = Buffer.allocUnsafe(WINDOW)
const SHORT = 40

export class ProbeScan<T> {
  /** How far the window may move when it ends in this block of two. */
  readonly #shift = new Uint8Array(1 << BLOCK_BITS).fill(FURTHEST)
  readonly #head = new Uint8Array(1 << BLOCK_BITS)
  readonly #beginnings = new Set<number>()
  readonly #owners = new Map<number, T[]>()

  add(probe: string, owner: T): void {
    const a = probe.charCodeAt(0) & 255
    const b = probe.charCodeAt(1) & 255
    const c = probe.charCodeAt(2) & 255
    const d = probe.charCodeAt(3) & 255
    this.#lower(c | (d << 8), 0)
    this.#lower(b | (c << 8), 1)
    this.#lower(a | (b << 8), 2)
    this.#head[a | (b << 8)] = 1
    const key = a | (b << 8) | (c << 16) | (d << 24)
    for (let length = 1; length <= FURTHEST; length += 1) this.#beginnings.add(lowBytes(probe, 0, length))
    const owners = this.#owners.get(key)
    if (owners === undefined) this.#owners.set(key, [owner])
    else if (!owners.includes(owner)) owners.push(owner)
  }

  /** The longest proper beginning of a probe that the text ends with: 0 to 3 characters. */
  cutProbe(text: string): number {
    for (let length = Math.min(FURTHEST, text.length); length > 0; length -= 1) {
      if (this.#beginnings.has(lowBytes(text, text.length - length, length))) return length
    }
    return 0
  }

  #lower(block: number, shift: number): void {
    if ((this.#shift[block] ?? 0) > shift) this.#shift[block] = shift
  }

  /** The places, in order. */
  inText(text: string): Place<T>[] {
    const found: Place<T>[] = []
    if (text.length <= SHORT) {
      for (let at = 0; at < text.length; at += 1) scratch[at] = text.charCodeAt(at)
      this.#scan(scratch, text.length, 0, found)
      return found
    }
    if (text.length <= WINDOW) {
      this.#scan(scratch, scratch.write(text, 0, 'latin1'), 0, found)
      return found
    }
    for (let from = 0; from < text.length - FURTHEST; from += WINDOW - FURTHEST) {
      this.#scan(scratch, scratch.write(text.slice(from, from + WINDOW), 0, 'latin1'), from, found)
    }
    return found
  }

  inBytes(bytes: Uint8Array): Place<T>[] {
    const found: Place<T>[] = []
    this.#scan(bytes, bytes.byteLength, 0, found)
    return found
  }

  #scan(bytes: Uint8Array, length: number, base: number, found: Place<T>[]): void {
    const shift = this.#shift
    const head = this.#head
    const last = length - FURTHEST
    let at = 0
    while (at < last) {
      const step = shift[(bytes[at + 2] ?? 0) | ((bytes[at + 3] ?? 0) << 8)] ?? 0
      if (step !== 0) {
        at += step
        continue
      }
      const first = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
      if (head[first] === 1) {
        const owners = this.#owners.get(first | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24))
        if (owners !== undefined) for (const owner of owners) found.push({ at: base + at, owner })
      }
      at += 1
    }
  }
}

/** The length is part of the number, so that `a` and `a\0` differ. */
function lowBytes(text: string, at: number, length: number): number {
  let number = length
  for (let index = 0; index < length; index += 1) number = (number << 8) | (text.charCodeAt(at + index) & 255)
  return number
}
