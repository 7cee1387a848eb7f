/**
 * Searches for many exact values at once. The text is sampled at every fourth offset: five characters there
 * are hashed and looked up among the windows of the values. The time does not depend on the number of values.
 *
 * Of each value, eight characters that no encoding changes are selected, and the four windows of five in
 * them. Wherever the value is in the text, one of these windows is at a sampled offset.
 *
 * Decision 0297.
 */
import { charClass, isIn } from './char-class.ts'
import type { Input } from './input.ts'
import { KnownOpenings, LONGEST_SPELLING } from './known-openings.ts'
import { NumberTable } from './number-table.ts'
import { MOST_WINDOW_WORDS_LOG } from './probe-kernel.ts'
import { type Match, RANK, type Rule } from './rule.ts'
import { letterCount, openingOf, rawLetter, type Spelled, spelledEnd, spelledStart } from './spelling.ts'
import { bitsOf, fourAt, hashAt, hashOf, lettersFrom, WINDOW } from './window-hash.ts'

export type KnownValue = Spelled & {
  readonly kind: string
  readonly placeholder: string
  /** The end of the last match in the text with this id: the value is not searched for again inside it. */
  seen: { input: number; end: number }
}

/** Characters that every encoding leaves unchanged. */
export const INERT = charClass('a-z', 'A-Z', '0-9', '_.-')
const STRIDE = 4
/** This many characters contain a sampled window at any offset. */
export const ANCHOR = STRIDE - 1 + WINDOW
/** If more values than this share a window, a value uses another part of itself. */
const CROWDED = 8
const MOST_ANCHORS = 64

/** Columns of the windows: the hash, the last entry (-1 for none), the number of entries. */
const HASH = 0
const LAST = 1
const COUNT = 2
/**
 * The maximum length of a value whose beginning is in this text, but which is found by another part of it; 0
 * if there is none.
 */
const LONGEST = 3
/** Columns of the entries: the value, its letter that the window begins with, the entry before. */
const VALUE = 0
const LETTER = 1
const BEFORE = 2
/** The offset of the window in its anchor, and the eight characters of the anchor. */
const SHIFT = 3
const FIRST_FOUR = 4
const LAST_FOUR = 5
const ENTRY_COLUMNS = 8

/** How many windows share a word of bits. Two bytes a window keep the bits of 200,000 in the fastest caches. */
const WINDOWS_PER_WORD = 4

/**
 * Everything that there is once for each window is in tables of numbers: with 100,000 values, objects would
 * make the collection of garbage slower than the search. What is read together is together in memory.
 */
export class KnownIndex {
  /** Four bits of one word for each window: a hash without all four is no window. */
  #bits = new Uint32Array(1 << 11)
  /** The number of hash bits that select the word. */
  #wordsLog = 11
  readonly #mirrors: Uint32Array[] = []
  /** For each slot the hash of a window, 0 if it is empty, and the number of the window. */
  #slots = new Int32Array(2 << 13)
  readonly #windows = new NumberTable(4)
  readonly #entries = new NumberTable(ENTRY_COLUMNS)
  readonly #values: KnownValue[] = []
  readonly #openings = new KnownOpenings()
  /** The most letters before the first anchor of a value that is found by another one. */
  #mostBefore = 0

  get isEmpty(): boolean {
    return this.#windows.rows === 0
  }

  /** False if no eight consecutive characters stay the same in every encoding. */
  add(known: KnownValue): boolean {
    const first = inertRun(known, 0, ANCHOR)
    if (first < 0) return false
    let best = first
    let fewest = this.#crowd(known, first)
    for (let tried = 0, at = first; fewest >= CROWDED && tried < MOST_ANCHORS; tried += 1) {
      at = inertRun(known, at + 1, ANCHOR)
      if (at < 0) break
      const crowd = this.#crowd(known, at)
      if (crowd < fewest) [best, fewest] = [at, crowd]
    }
    this.#values.push(known)
    this.#addWindows(known, best, true)
    if (best !== first) {
      this.#addWindows(known, first, false)
      this.#mostBefore = Math.max(this.#mostBefore, first)
    }
    if (first > 0) this.#openings.add(openingOf(known, first + ANCHOR))
    return true
  }

  /** True if a text may end with letters that come before the anchor of a value. */
  get hasOpenings(): boolean {
    return !this.#openings.isEmpty
  }

  /** The offset at which the text ends with such letters; its length if it does not. */
  openingIn(text: string): number {
    return this.#openings.startIn(text)
  }

  /** The shift of a hash that selects the word of its bits. */
  get shift(): number {
    return 32 - this.#wordsLog
  }

  /** Keeps a copy of the bits up to date, for a kernel that samples long texts. */
  mirrorTo(bits: Uint32Array): void {
    this.#mirrors.push(bits)
    bits.set(this.#bits)
  }

  /** The offsets, four apart, at which a value may be in a short text; a kernel samples long texts. */
  sampleText(text: string, found: (at: number) => void): void {
    for (let at = 0; at + WINDOW <= text.length; at += STRIDE)
      if (isInert(text, at) && this.#hasBits(hashAt(text, at))) found(at)
  }

  /** True if a window of a value has these four bytes and this fifth one, or the same hash. */
  hasWindow(four: number, fifth: number): boolean {
    return this.#window(hashOf(four, fifth)) >= 0
  }

  /** The number of the window with this hash, or -1. */
  #window(hash: number): number {
    const slot = this.#slot(hash || 1)
    return this.#slots[slot] === 0 ? -1 : (this.#slots[slot + 1] ?? 0)
  }

  /** The slot with this hash, or the empty one for it. */
  #slot(hash: number): number {
    const mask = this.#slots.length - 2
    let slot = (hash >>> 6) & mask
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 2) & mask
    return slot
  }

  #addHash(hash: number, window: number): void {
    const slot = this.#slot(hash || 1)
    this.#slots[slot] = hash || 1
    this.#slots[slot + 1] = window
  }

  /** Called at a sampled offset. */
  readonly rule: Rule = {
    name: 'known',
    rank: RANK.known,
    mayHoldSlash: false,
    probes: () => [],
    check: (input, at) => this.#check(input, at),
  }

  #check(input: Input, at: number): Match | null {
    const window = this.#window(hashAt(input.text, at))
    if (window < 0) return null
    let match: Match | null = null
    let touched = false
    const entries = this.#entries
    for (let entry = this.#windows.at(window, LAST); entry >= 0; entry = entries.at(entry, BEFORE)) {
      if (!this.#mayBeAnchor(input.text, at, entry)) continue
      const known = this.#values[entries.at(entry, VALUE)]
      if (known === undefined) continue
      const found = knownAt(input, at, known, entries.at(entry, LETTER))
      touched ||= input.touchedEnd
      input.touchedEnd = false
      if (found === null) continue
      match = match === null ? found : together(match, found)
    }
    const longest = this.#windows.at(window, LONGEST)
    if (longest > 0 && input.text.length - at < longest) {
      touched = true
      const before = (this.#mostBefore + ANCHOR) * LONGEST_SPELLING
      input.undecidedFrom = Math.min(input.undecidedFrom, Math.max(0, at - before))
    }
    input.touchedEnd = touched
    return match
  }

  /** False if the text has other characters than the anchor: the value itself need not be read. */
  #mayBeAnchor(text: string, at: number, entry: number): boolean {
    const start = at - this.#entries.at(entry, SHIFT)
    if (start < 0) return false
    if (start + ANCHOR > text.length) return true
    return (
      fourAt(text, start) === this.#entries.at(entry, FIRST_FOUR) &&
      fourAt(text, start + 4) === this.#entries.at(entry, LAST_FOUR)
    )
  }

  #crowd(known: KnownValue, letter: number): number {
    let most = 0
    const anchor = lettersFrom(known, letter, ANCHOR)
    for (let shift = 0; shift < STRIDE; shift += 1) {
      const window = this.#window(hashAt(anchor, shift))
      if (window >= 0) most = Math.max(most, this.#windows.at(window, COUNT))
    }
    return most
  }

  /** Of the value that was added last. */
  #addWindows(known: KnownValue, letter: number, finds: boolean): void {
    const anchor = lettersFrom(known, letter, ANCHOR)
    const [first, last] = [fourAt(anchor, 0), fourAt(anchor, 4)]
    for (let shift = 0; shift < STRIDE; shift += 1) {
      const hash = hashAt(anchor, shift)
      const found = this.#window(hash)
      const window = found < 0 ? this.#newWindow(hash) : found
      if (finds) {
        const before = this.#windows.at(window, LAST)
        const value = this.#values.length - 1
        this.#windows.set(window, LAST, this.#entries.push(value, letter + shift, before, shift, first, last))
        this.#windows.set(window, COUNT, this.#windows.at(window, COUNT) + 1)
      } else {
        const length = letterCount(known) * LONGEST_SPELLING
        this.#windows.set(window, LONGEST, Math.max(this.#windows.at(window, LONGEST), length))
      }
    }
  }

  #newWindow(hash: number): number {
    const window = this.#windows.push(hash, -1, 0, 0)
    const count = window + 1
    if (count > WINDOWS_PER_WORD * 2 ** this.#wordsLog && this.#wordsLog < MOST_WINDOW_WORDS_LOG) {
      this.#wordsLog += 1
      this.#bits = new Uint32Array(2 ** this.#wordsLog)
      for (let each = 0; each < count; each += 1) this.#setBits(this.#windows.at(each, HASH))
      for (const mirror of this.#mirrors) mirror.set(this.#bits)
    }
    if (count * 4 > this.#slots.length) {
      this.#slots = new Int32Array(this.#slots.length * 2)
      for (let each = 0; each < count; each += 1) this.#addHash(this.#windows.at(each, HASH), each)
    } else this.#addHash(hash, window)
    const word = this.#setBits(hash)
    for (const mirror of this.#mirrors) mirror[word] = this.#bits[word] ?? 0
    return window
  }

  #hasBits(hash: number): boolean {
    const bits = bitsOf(hash)
    return ((this.#bits[hash >>> this.shift] ?? 0) & bits) === bits
  }

  #setBits(hash: number): number {
    const word = hash >>> this.shift
    this.#bits[word] = (this.#bits[word] ?? 0) | bitsOf(hash)
    return word
  }
}

/** A window has no other characters. By low bytes, as in the kernel. */
function isInert(text: string, at: number): boolean {
  for (let place = at; place < at + WINDOW; place += 1)
    if (INERT[text.charCodeAt(place) & 255] !== 1) return false
  return true
}

/** Two values that cover the same offset become one span, with the placeholder of the longer one. */
function together(one: Match, other: Match): Match {
  const longer = other.end - other.start > one.end - one.start ? other : one
  return { ...longer, start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) }
}

/** The value, if its letter number `letter` is at `at`. */
export function knownAt(input: Input, at: number, known: KnownValue, letter: number): Match | null {
  if (known.seen.input === input.id && at < known.seen.end) return null
  const end = spelledEnd(input, at, known, letter)
  if (end < 0 && !input.touchedEnd) return null
  const start = spelledStart(input.text, at, known, letter)
  if (start < 0) {
    input.touchedEnd = false
    return null
  }
  if (input.touchedEnd) input.undecidedFrom = Math.min(input.undecidedFrom, start)
  if (end < 0) return null
  known.seen = { input: input.id, end }
  return { start, end, kind: known.kind, rank: RANK.known, placeholder: known.placeholder }
}

/** The first letter from `from` on that begins so many letters that no encoding changes; -1 if none. */
export function inertRun(known: Spelled, from: number, length: number): number {
  let run = 0
  const count = letterCount(known)
  for (let at = from; at < count; at += 1) {
    run = isIn(INERT, rawLetter(known, at), 0) ? run + 1 : 0
    if (run === length) return at - length + 1
  }
  return -1
}
