/**
 * The visible text of a stream as one string, in which every character knows its bytes. Characters that a
 * terminal would show without a byte of their own (the gap of a forward move, the break of a jump) have none.
 */
import { type FoundSecrets, MASK, type SecretFinder } from './secret-finder.ts'

type Segment = {
  /** Place in `text`. */
  readonly at: number
  readonly length: number
  readonly byte: number
  /**
   * Bytes in all; equal to `length` for ASCII, where each character is one byte; 0 for characters without
   * bytes.
   */
  readonly bytes: number
  readonly columns: number
}

/** Kept before what is still open: a word boundary or a name before a secret counts. */
const CONTEXT = 256

export type MaskByte = (at: number, byte: number) => void

export class FlatText {
  #text: string
  #segments: Segment[]

  constructor(other?: FlatText) {
    this.#text = other === undefined ? '' : other.#text
    this.#segments = other === undefined ? [] : [...other.#segments]
  }

  get length(): number {
    return this.#text.length
  }

  get tail(): string {
    return this.#text.slice(-CONTEXT)
  }

  ascii(text: string, byte: number): void {
    this.#segments.push({
      at: this.#text.length,
      length: text.length,
      byte,
      bytes: text.length,
      columns: text.length,
    })
    this.#text += text
  }

  glyph(char: string, byte: number, bytes: number, columns: number): void {
    this.#segments.push({ at: this.#text.length, length: char.length, byte, bytes, columns })
    this.#text += char
  }

  /** Text without bytes. Several breaks in a row count as one. */
  phantom(text: string): void {
    if (text === '\n' && this.#text.endsWith('\n')) return
    this.#segments.push({ at: this.#text.length, length: text.length, byte: -1, bytes: 0, columns: 0 })
    this.#text += text
  }

  /** Takes back the last character, as a person who types does. */
  unwrite(): void {
    const last = this.#segments[this.#segments.length - 1]
    if (last === undefined || last.bytes === 0) return
    this.#segments.pop()
    if (last.bytes === last.length && last.length > 1)
      this.#segments.push({
        ...last,
        length: last.length - 1,
        bytes: last.bytes - 1,
        columns: last.columns - 1,
      })
    this.#text = this.#text.slice(0, last.bytes === last.length ? -1 : last.at - this.#text.length)
  }

  /**
   * Masks every secret that is certain, and returns where the text that must wait begins. Repeats until nothing
   * is found: a mask may expose the secret next to it, which until then looked like a part of one long word.
   */
  mask(finder: SecretFinder, final: boolean, place: string, maskByte: MaskByte): number {
    for (let pass = 0; ; pass += 1) {
      const found: FoundSecrets = finder.find(this.#text, final)
      const spans = final ? found.spans : found.spans.filter((span) => span.end <= found.certain)
      if (spans.length === 0 || pass === 8) return final ? this.#text.length : found.certain
      for (const span of spans) {
        finder.note(span.kind, this.#text.slice(span.start, span.end), place)
        this.#maskSpan(span.start, span.end, maskByte)
      }
    }
  }

  /** Masks everything from `start` on. */
  maskFrom(start: number, maskByte: MaskByte): void {
    this.#maskSpan(start, this.#text.length, maskByte)
  }

  #maskSpan(start: number, end: number, maskByte: MaskByte): void {
    const text = this.#text
    this.#text = text.slice(0, start) + '*'.repeat(end - start) + text.slice(end)
    for (let index = this.#segmentAt(start); index < this.#segments.length; index += 1) {
      const segment = this.#segments[index]
      if (segment === undefined || segment.at >= end) return
      if (segment.bytes === 0) continue
      if (segment.bytes === segment.length) {
        const from = Math.max(start, segment.at) - segment.at
        const to = Math.min(end, segment.at + segment.length) - segment.at
        for (let at = from; at < to; at += 1) maskByte(segment.byte + at, MASK)
      } else {
        // As many masks as columns; what is left of the bytes becomes NUL, which terminals skip.
        for (let at = 0; at < segment.bytes; at += 1)
          maskByte(segment.byte + at, at < segment.columns ? MASK : 0)
      }
    }
  }

  /** The first byte of the character at `at` or after it; null where no byte follows. */
  byteFrom(at: number): number | null {
    for (let index = this.#segmentAt(at); index < this.#segments.length; index += 1) {
      const segment = this.#segments[index]
      if (segment === undefined || segment.bytes === 0 || segment.at + segment.length <= at) continue
      return segment.bytes === segment.length ? segment.byte + Math.max(0, at - segment.at) : segment.byte
    }
    return null
  }

  /** Forgets what lies well before `certain`. Gives how many characters went. */
  forget(certain: number): number {
    const cut = certain - CONTEXT
    if (cut <= 0) return 0
    this.#text = this.#text.slice(cut)
    const kept: Segment[] = []
    for (let index = this.#segmentAt(cut); index < this.#segments.length; index += 1) {
      const segment = this.#segments[index]
      if (segment === undefined || segment.at + segment.length <= cut) continue
      const lost = Math.max(0, cut - segment.at)
      const isAscii = segment.bytes === segment.length
      kept.push(
        isAscii
          ? {
              at: Math.max(0, segment.at - cut),
              length: segment.length - lost,
              byte: segment.byte + lost,
              bytes: segment.bytes - lost,
              columns: segment.columns - lost,
            }
          : { ...segment, at: segment.at - cut },
      )
    }
    this.#segments = kept
    return cut
  }

  #segmentAt(at: number): number {
    let low = 0
    let high = this.#segments.length
    while (low < high) {
      const middle = (low + high) >> 1
      const segment = this.#segments[middle]
      if (segment !== undefined && segment.at + segment.length <= at) low = middle + 1
      else high = middle
    }
    return low
  }
}
