/**
 * Reads the parts of one line of a tape from its bytes, one after the other, as `encodeRecord` writes them.
 *
 * The bytes must be UTF-8, and a line break must follow the line: no part contains one, so nothing is read
 * beyond it. A part of any other form sets `hasFailed`, and what is read after that has no meaning.
 */
import { type ContentHash, parseJson } from '../base/index.ts'
import type { Chunk, Payload } from './fields.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const NINE = 0x39
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
/** More digits may not fit into a double. */
const MAX_DIGITS = 15
/** Far below what `parseJson` refuses: the caller's parser decides about the rest. */
const MAX_DEPTH = 100
/** V8 copies a shorter slice of a string; a longer one keeps the whole string in memory. */
const COPIED_LENGTH = 13

/** 1 for the bytes that a string in JSON cannot have without an escape, and for the backslash. */
const STOPS = new Uint8Array(256).fill(1, 0, 0x20)
STOPS[QUOTE] = 1
STOPS[BACKSLASH] = 1

const HASH = bytesOf('{"content_hash":')
const PAYLOAD_TEXT = bytesOf(',"text":')
const LENGTH = bytesOf(',"len_bytes":')
const CHUNK_TEXT = bytesOf('{"text":')
const NULL = bytesOf('null')

export class LineCursor {
  hasFailed = false
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  /** The line as text if each byte is one character of it, else ''. */
  #text = ''
  #from = 0
  #isKept = false

  /** `isKept`: the caller keeps `text` as long as the parts, so that a part may be a slice of it. */
  start(bytes: Buffer, from: number, text: string, isAscii: boolean, isKept: boolean): void {
    this.hasFailed = false
    this.#bytes = bytes
    this.#at = from
    this.#text = isAscii ? text : ''
    this.#from = from
    this.#isKept = isKept
  }

  /** Where the next part begins. */
  get at(): number {
    return this.#at
  }

  /** Goes behind these bytes, if they are next. */
  skip(expected: Uint8Array): boolean {
    const bytes = this.#bytes
    const at = this.#at
    for (let index = 0; index < expected.length; index += 1)
      if (bytes[at + index] !== expected[index]) return false
    this.#at = at + expected.length
    return true
  }

  skipNull(): boolean {
    return this.#bytes[this.#at] === NULL[0] && this.skip(NULL)
  }

  /** Goes behind the end of an object. */
  close(): void {
    if (this.#bytes[this.#at] !== CLOSE_BRACE) this.hasFailed = true
    this.#at += 1
  }

  /** Digits without sign, fraction and exponent. */
  integer(): number {
    const bytes = this.#bytes
    const from = this.#at
    let at = from
    let number = 0
    for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) {
      number = number * 10 + byte - ZERO
      at += 1
    }
    const digits = at - from
    if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && bytes[from] === ZERO)) this.hasFailed = true
    this.#at = at
    return number
  }

  text(): string {
    const bytes = this.#bytes
    const from = this.#at
    if (bytes[from] !== QUOTE) return this.#fail()
    let at = from + 1
    while (STOPS[bytes[at] ?? 0] === 0) at += 1
    if (bytes[at] === BACKSLASH) return this.#escapedText(from, at)
    if (bytes[at] !== QUOTE) return this.#fail()
    this.#at = at + 1
    return this.#slice(from + 1, at)
  }

  payload(): Payload {
    if (!this.skip(HASH)) this.hasFailed = true
    const contentHash = this.text() as ContentHash
    if (this.skip(PAYLOAD_TEXT)) {
      const text = this.text()
      this.close()
      return { form: 'inline', contentHash, text }
    }
    if (!this.skip(LENGTH)) this.hasFailed = true
    const lenBytes = this.integer()
    this.close()
    return { form: 'cas', contentHash, lenBytes }
  }

  /** Null if it is not in the line as text. */
  textChunk(): Chunk | null {
    const from = this.#at
    if (!this.skip(CHUNK_TEXT)) return null
    const text = this.text()
    if (this.#bytes[this.#at] === CLOSE_BRACE) {
      this.#at += 1
      return { form: 'text', text }
    }
    this.#at = from
    return null
  }

  /** Any value. Throws a `SyntaxError` for what is no JSON. */
  json(): unknown {
    const from = this.#at
    const end = this.#valueEnd()
    if (this.hasFailed) return null
    this.#at = end
    return parseJson(this.#slice(from, end))
  }

  #valueEnd(): number {
    const bytes = this.#bytes
    let depth = 0
    for (let at = this.#at; ; at += 1) {
      switch (bytes[at]) {
        case QUOTE:
          at = this.#stringEnd(at + 1)
          if (this.hasFailed) return at
          break
        case OPEN_BRACE:
        case OPEN_BRACKET:
          depth += 1
          break
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          // Of the object that the value is a member of.
          if (depth === 0) return at
          depth -= 1
          break
        case COMMA:
          if (depth === 0) return at
      }
      if (depth > MAX_DEPTH || (bytes[at] ?? 0) < 0x20) {
        this.hasFailed = true
        return at
      }
    }
  }

  /** `at` is the first backslash of the string. */
  #escapedText(from: number, at: number): string {
    const end = this.#stringEnd(at)
    if (this.hasFailed) return ''
    this.#at = end + 1
    return parseJson(this.#slice(from, end + 1)) as string
  }

  /** The offset of the quote that ends the string. */
  #stringEnd(from: number): number {
    const bytes = this.#bytes
    for (let at = from; ; at += 1) {
      if (STOPS[bytes[at] ?? 0] === 0) continue
      if (bytes[at] === QUOTE) return at
      at += 1
      // An escape is never followed by a line break: the next byte decides.
      if (bytes[at - 1] !== BACKSLASH || (bytes[at] ?? 0) < 0x20) {
        this.hasFailed = true
        return at
      }
    }
  }

  #slice(from: number, to: number): string {
    const text = this.#text
    if (text === '') return this.#bytes.toString('utf8', from, to)
    if (this.#isKept || to - from < COPIED_LENGTH) return text.slice(from - this.#from, to - this.#from)
    return this.#bytes.toString('latin1', from, to)
  }

  #fail(): '' {
    this.hasFailed = true
    return ''
  }
}

export function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text))
}
