/**
 * Reads JSON objects that grow from one body to the next, as the requests of a chat do: what an earlier body
 * began with is not decoded and read again. Gives what `JSON.parse` and `canonicalJsonText` give, and the same items (the
 * same objects) of the conversation as before, so that a caller can remember by item what it computed.
 *
 * Only the member that is named as a conversation grows. Gives null for what is no object, is nested deep,
 * repeats a name or has a name with a meaning of its own in JavaScript: a caller then reads the text itself.
 *
 * Decision 0335.
 */
import { beginAlike, byteOffsets, textOrNull } from './bytes.ts'
import { aroundList, canonicalJsonText, type Json, type TextAroundList } from './canonical-json.ts'
import { noteGrown } from './grown-list.ts'
import type { JsonObject } from './json-value.ts'
import { valueEnd } from './json-value-end.ts'

export type ReadObject = {
  readonly value: JsonObject
  /** Printing the value gives the text. */
  readonly isCompact: boolean
  /** The canonical text, normalised: around the items of the conversation, and the items. */
  canonical(): TextAroundList & { readonly pieces: readonly string[] }
}

type Normalise = (text: string) => string

/** Where an item of the conversation ends in the bytes. */
type End = {
  readonly end: number
  /** Everything of the text up to its end is compact. */
  readonly isCompact: boolean
}
type Piece = Pick<End, 'isCompact'> & {
  readonly value: Json
  /** Its canonical text. Not the text itself: a slice would keep the whole text of its request in memory. */
  readonly canonical: string
}
type Member = Piece & { readonly name: string }
type Known = {
  readonly bytes: Uint8Array
  /** Members before the conversation. */
  readonly before: readonly Member[]
  readonly name: string
  readonly items: readonly End[]
  /** Of the items. Lists of their own, because a request needs each of them as a list. */
  readonly values: readonly Json[]
  /** Normalised. */
  readonly canonicals: readonly string[]
}

const MAX_KNOWN = 4
const MAX_KNOWN_BYTES = 16 * 1024 * 1024
const LONGEST_KNOWN = 8 * 1024 * 1024

export class GrowingJson {
  readonly #conversations: readonly string[]
  readonly #known: Known[] = []
  readonly #normalise: Normalise
  #keptBytes = 0

  /**
   * `conversations` are the names of members that may grow. `normalise` replaces text inside of strings of the
   * canonical form; what it replaces contains no quote and no comma.
   */
  constructor(conversations: readonly string[], normalise: Normalise = (text) => text) {
    this.#conversations = conversations
    this.#normalise = normalise
  }

  /** Null for bytes that are not UTF-8, too. The bytes must not change. */
  read(bytes: Uint8Array): ReadObject | null {
    const start = this.#start(bytes)
    const text = textOrNull(bytes.subarray(startByte(start)))
    if (text === null) return null
    const reading = new Reading(bytes, text, start, this.#conversations, this.#normalise)
    if (!reading.run()) return null
    this.#remember(reading)
    return reading.result()
  }

  /** The known body that this one has most in common with. */
  #start(bytes: Uint8Array): Start | null {
    let best: Start | null = null
    for (const known of this.#known) {
      const keep = commonItems(bytes, known)
      if (keep > 0 && keep >= (best?.keep ?? 0)) best = { known, keep }
    }
    return best
  }

  #remember(reading: Reading): void {
    const { name, items, values, canonicals, before, bytes } = reading
    if (name === null || items.length === 0 || bytes.byteLength > LONGEST_KNOWN) return
    const replaced =
      reading.start?.keep === reading.start?.known.items.length ? reading.start?.known : undefined
    if (replaced !== undefined) this.#forget(this.#known.indexOf(replaced))
    this.#known.push({ name, items, values, canonicals, before, bytes })
    this.#keptBytes += bytes.byteLength
    while (this.#known.length > MAX_KNOWN || this.#keptBytes > MAX_KNOWN_BYTES) this.#forget(0)
  }

  #forget(at: number): void {
    for (const { bytes } of this.#known.splice(at, 1)) this.#keptBytes -= bytes.byteLength
  }
}

type Start = { readonly known: Known; readonly keep: number }

/** The end of the last known item. */
function startByte(start: Start | null): number {
  return start?.known.items[start.keep - 1]?.end ?? 0
}

/** How many items at the beginning of the conversation are the same, with everything before them. */
function commonItems(bytes: Uint8Array, { bytes: before, items }: Known): number {
  let [same, differs] = [0, items.length + 1]
  let next = items.length
  while (same + 1 < differs) {
    const { end = 0 } = items[next - 1] ?? {}
    if (beginAlike(bytes, before, end)) same = next
    else differs = next
    next = (same + differs) >> 1
  }
  return same
}

/** One reading of a body. */
class Reading {
  readonly bytes: Uint8Array
  /** What follows the last known item. */
  readonly text: string
  readonly start: Start | null
  readonly before: Member[]
  readonly items: End[]
  readonly values: Json[]
  readonly canonicals: string[]
  readonly #normalise: Normalise
  readonly #after: Member[] = []
  readonly #conversations: readonly string[]
  name: string | null = null
  readonly #startByte: number
  readonly #byteOffset: (at: number) => number
  #at = 0
  #isCompact = true

  constructor(
    bytes: Uint8Array,
    text: string,
    start: Start | null,
    conversations: readonly string[],
    normalise: Normalise,
  ) {
    this.bytes = bytes
    this.text = text
    this.start = start
    this.#startByte = startByte(start)
    this.#byteOffset = byteOffsets(text, bytes.byteLength - this.#startByte)
    this.before = [...(start?.known.before ?? [])]
    this.items = start?.known.items.slice(0, start.keep) ?? []
    this.values = start?.known.values.slice(0, start.keep) ?? []
    this.canonicals = start?.known.canonicals.slice(0, start.keep) ?? []
    if (start !== null) {
      noteGrown(this.values, start.known.values, start.keep)
      noteGrown(this.canonicals, start.known.canonicals, start.keep)
    }
    this.#conversations = conversations
    this.#normalise = normalise
  }

  /** False if the text is none that can be read here. */
  run(): boolean {
    try {
      if (this.start === null) {
        if (!this.#takes('{')) return false
        if (this.#takes('}')) return this.#isAtEnd()
        if (!this.#member()) return false
      } else {
        const { known, keep } = this.start
        this.name = known.name
        this.#isCompact = this.items[keep - 1]?.isCompact ?? false
        if (!this.#itemsToTheEnd()) return false
      }
      while (this.#takes(',')) if (!this.#member()) return false
      return this.#takes('}') && this.#isAtEnd() && this.#hasPlainNames()
    } catch (error) {
      // No JSON after all: the caller finds that out in its own way.
      if (error instanceof SyntaxError) return false
      throw error
    }
  }

  result(): ReadObject {
    const members: (readonly [name: string, value: Json])[] = this.before.map(({ name, value }) => [
      name,
      value,
    ])
    if (this.name !== null) members.push([this.name, this.values])
    members.push(...this.#after.map(({ name, value }) => [name, value] as const))
    return {
      value: Object.fromEntries(members),
      isCompact: this.#isCompact,
      canonical: () => this.#canonical(),
    }
  }

  #canonical(): ReturnType<ReadObject['canonical']> {
    const texts = [...this.before, ...this.#after].map(({ name, canonical }) => [name, canonical] as const)
    const { head, tail } = aroundList(texts, this.name)
    return {
      head: this.#normalise(head),
      pieces: this.canonicals,
      tail: this.#normalise(tail),
    }
  }

  #member(): boolean {
    this.#skipSpace()
    if (this.text.charCodeAt(this.#at) !== QUOTE) return false
    const end = valueEnd(this.text, this.#at)
    const key = this.text.slice(this.#at, end)
    const name: string = JSON.parse(key)
    if (JSON.stringify(name) !== key) this.#isCompact = false
    this.#at = end
    if (!this.#takes(':')) return false
    this.#skipSpace()
    if (this.name === null && this.#conversations.includes(name) && this.text[this.#at] === '[') {
      this.#at += 1
      this.name = name
      if (this.#takes(']')) return true
      return this.#item() && this.#itemsToTheEnd()
    }
    const piece = this.#piece()
    if (piece === null) return false
    if (this.name === null) this.before.push({ ...piece, name })
    else this.#after.push({ ...piece, name })
    return true
  }

  #itemsToTheEnd(): boolean {
    while (this.#takes(',')) if (!this.#item()) return false
    return this.#takes(']')
  }

  #item(): boolean {
    this.#skipSpace()
    const piece = this.#piece()
    if (piece === null) return false
    this.items.push({ end: this.#startByte + this.#byteOffset(this.#at), isCompact: piece.isCompact })
    this.values.push(piece.value)
    this.canonicals.push(this.#normalise(piece.canonical))
    return true
  }

  #piece(): Piece | null {
    const end = valueEnd(this.text, this.#at)
    if (end < 0) return null
    const text = this.text.slice(this.#at, end)
    const value: Json = JSON.parse(text)
    if (this.#isCompact && JSON.stringify(value) !== text) this.#isCompact = false
    this.#at = end
    return { value, canonical: canonicalJsonText(text), isCompact: this.#isCompact }
  }

  #takes(char: string): boolean {
    this.#skipSpace()
    if (this.text[this.#at] !== char) return false
    this.#at += 1
    return true
  }

  #skipSpace(): void {
    for (;;) {
      const char = this.text.charCodeAt(this.#at)
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return
      this.#at += 1
      this.#isCompact = false
    }
  }

  #isAtEnd(): boolean {
    this.#skipSpace()
    return this.#at === this.text.length
  }

  /** Members keep the order of the text, and none is lost. */
  #hasPlainNames(): boolean {
    const names = [...this.before, ...this.#after].map(({ name }) => name)
    if (this.name !== null) names.push(this.name)
    return (
      new Set(names).size === names.length && names.every((name) => name !== '__proto__' && !/^\d/.test(name))
    )
  }
}

const QUOTE = 0x22
