/**
 * A JSON object that is mostly one long list of objects, read in pieces: neither its text nor its value is
 * ever in memory as a whole. Finds the items by their brackets and quotes; who reads a piece finds out
 * whether it is JSON.
 *
 * Gives null for any other JSON, and for what a reader of pieces would read otherwise: repeated names, deep
 * nesting, an item or other members that are large themselves.
 *
 * Decision 0490.
 */
import { type ContentHash, createBlake3 } from './blake3.ts'
import { isUtf8, utf8 } from './bytes.ts'
import { canonicalJsonText, compareUtf8 } from './canonical-json.ts'

/** Bytes of items in one piece. With 128 KiB five bodies of 10 MB take 17 MB more, measured. */
const PIECE_BYTES = 32 * 1024
const MOST_ITEM_BYTES = 128 * 1024
const MOST_OTHER_BYTES = 64 * 1024
const MOST_DEPTH = 100

type Range = { readonly start: number; readonly end: number }
type Member = Range & { readonly name: string }

export class LargeList {
  readonly #bytes: Buffer
  readonly #members: readonly Member[]
  readonly #list: Member
  /** The items of each piece. */
  readonly #pieces: readonly Range[]

  constructor(bytes: Buffer, members: readonly Member[], list: Member, pieces: readonly Range[]) {
    this.#bytes = bytes
    this.#members = members
    this.#list = list
    this.#pieces = pieces
  }

  get names(): readonly string[] {
    return this.#members.map(({ name }) => name)
  }

  /** The whole object, with a part of its list each time. */
  *documents(): Generator<string> {
    const head = this.#text({ start: 0, end: this.#list.start + 1 })
    const tail = this.#text({ start: this.#list.end - 1, end: this.#bytes.length })
    for (const piece of this.#pieces) yield `${head}${this.#text(piece)}${tail}`
  }

  /**
   * `contentHashOfText` of the lines, each with a line break, and the canonical text, normalised; null if it
   * is not JSON.
   */
  canonicalHash(lines: readonly string[], normalise: (text: string) => string): ContentHash | null {
    const hash = createBlake3()
    hash.update(utf8(lines.map((line) => `${line}\n`).join('')))
    const add = (text: string): void => hash.update(utf8(normalise(text)))
    try {
      let before = '{'
      for (const member of this.#members.toSorted((a, b) => compareUtf8(a.name, b.name))) {
        add(`${before}${JSON.stringify(member.name)}:`)
        if (member === this.#list) this.#addItems(add)
        else add(canonicalJsonText(this.#text(member)))
        before = ','
      }
    } catch (error) {
      if (error instanceof SyntaxError) return null
      throw error
    }
    add('}')
    return hash.digest()
  }

  #addItems(add: (text: string) => void): void {
    let before = '['
    for (const piece of this.#pieces) {
      add(`${before}${canonicalJsonText(`[${this.#text(piece)}]`).slice(1, -1)}`)
      before = ','
    }
    add(']')
  }

  #text({ start, end }: Range): string {
    return this.#bytes.toString('utf8', start, end)
  }
}

export function readLargeList(bytes: Uint8Array): LargeList | null {
  if (bytes[0] !== OPEN_BRACE || !isUtf8(bytes)) return null
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return new Reading(buffer).read()
}

class Reading {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read(): LargeList | null {
    const members: Member[] = []
    let list: { readonly member: Member; readonly pieces: readonly Range[] } | null = null
    this.#at = 1
    for (;;) {
      const name = this.#name()
      if (name === null || members.some((member) => member.name === name)) return null
      const start = this.#at
      const isList: boolean = list === null && this.#bytes[start] === OPEN_BRACKET
      const pieces: readonly Range[] | null = isList ? this.#items() : null
      this.#at = pieces === null ? this.#valueEnd(start) : this.#at
      if (this.#at < 0) return null
      const member = { name, start, end: this.#at }
      members.push(member)
      if (pieces !== null && member.end - start > MOST_OTHER_BYTES) list = { member, pieces }
      this.#skipBlanks()
      const next = this.#bytes[this.#at]
      this.#at += 1
      if (next === CLOSE_BRACE) break
      if (next !== COMMA) return null
    }
    this.#skipBlanks()
    if (list === null || this.#at !== this.#bytes.length) return null
    const others = this.#bytes.length - (list.member.end - list.member.start)
    return others > MOST_OTHER_BYTES ? null : new LargeList(this.#bytes, members, list.member, list.pieces)
  }

  /** The name of the next member; the value begins at `#at` then. */
  #name(): string | null {
    this.#skipBlanks()
    const start = this.#at
    if (this.#bytes[start] !== QUOTE) return null
    const end = this.#stringEnd(start)
    if (end < 0 || end - start > MOST_OTHER_BYTES) return null
    this.#at = end
    this.#skipBlanks()
    if (this.#bytes[this.#at] !== COLON) return null
    this.#at += 1
    this.#skipBlanks()
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, end))
    } catch {
      // Not a string of JSON: another reader reports it.
      return null
    }
  }

  /** Groups of items, if all of them are objects; `#at` is behind the list then. Else null. */
  #items(): readonly Range[] | null {
    const first = this.#at
    const pieces: Range[] = []
    this.#at += 1
    let start = -1
    for (;;) {
      this.#skipBlanks()
      const from = this.#at
      const end = this.#bytes[from] === OPEN_BRACE ? this.#valueEnd(from) : -1
      if (end < 0 || end - from > MOST_ITEM_BYTES) break
      if (start < 0) start = from
      this.#at = end
      this.#skipBlanks()
      const next = this.#bytes[this.#at]
      this.#at += 1
      if (next !== COMMA && next !== CLOSE_BRACKET) break
      if (next === CLOSE_BRACKET || end - start >= PIECE_BYTES) {
        pieces.push({ start, end })
        start = -1
      }
      if (next === CLOSE_BRACKET) return pieces
    }
    this.#at = first
    return null
  }

  /** The offset just after the value that begins at `from`; -1 if it has no end, or is nested too deep. */
  #valueEnd(from: number): number {
    const bytes = this.#bytes
    let depth = 0
    for (let at = from; at < bytes.length; at += 1) {
      switch (bytes[at]) {
        case QUOTE:
          at = this.#stringEnd(at) - 1
          if (at < 0) return -1
          if (depth === 0) return at + 1
          break
        case OPEN_BRACKET:
        case OPEN_BRACE:
          depth += 1
          if (depth > MOST_DEPTH) return -1
          break
        case CLOSE_BRACKET:
        case CLOSE_BRACE:
          if (depth === 0) return at
          depth -= 1
          if (depth === 0) return at + 1
          break
        case COMMA:
        case 0x20:
        case 0x0a:
        case 0x0d:
        case 0x09:
          // A number or a literal ends here.
          if (depth === 0) return at
      }
    }
    return -1
  }

  /** The offset after the quote that ends the string; -1 if none does. */
  #stringEnd(from: number): number {
    const bytes = this.#bytes
    for (let at = from + 1; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (byte === QUOTE) return at + 1
      if (byte === BACKSLASH) at += 1
    }
    return -1
  }

  #skipBlanks(): void {
    const bytes = this.#bytes
    for (;;) {
      const byte = bytes[this.#at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
      this.#at += 1
    }
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
