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
import { MOST_WINDOW_WORDS_LOG } from './probe-kernel.ts'
import { type Match, RANK, type Rule } from './rule.ts'
import { type Spelled, spelledEnd, spelledStart } from './spelling.ts'

export type KnownValue = Spelled & {
  readonly kind: string
  readonly placeholder: string
  /** The end of the last match in the text with this id: the value is not searched for again inside it. */
  seen: { input: number; end: number }
}

type Entry = { readonly known: KnownValue; readonly letter: number }
type Bucket = {
  readonly entries: Entry[]
  /**
   * The maximum length of a value whose beginning is in this text, but which is found by another part of it;
   * 0 if there is none.
   */
  longest: number
}

/** Characters that every encoding leaves unchanged. */
export const INERT = charClass('a-z', 'A-Z', '0-9', '_.-')
const STRIDE = 4
export const WINDOW = 5
/** This many characters contain a sampled window at any offset. */
export const ANCHOR = STRIDE - 1 + WINDOW
/** If more values than this share a window, a value uses another part of itself. */
const CROWDED = 8
/** Maximum length of one encoded character: `\\\\u0041`, `%2541`. */
export const LONGEST_SPELLING = 12
const MOST_ANCHORS = 64

export class KnownIndex {
  readonly #buckets = new Map<number, Bucket>()
  /** Four bits of one word for each window: a hash without all four is no window. */
  #bits = new Uint32Array(1 << 11)
  /** The number of hash bits that select the word. */
  #wordsLog = 11
  readonly #mirrors: Uint32Array[] = []
  /**
   * The hashes themselves, 0 for an empty slot. Checked before the buckets, which are larger than the
   * processor's caches.
   */
  #hashes = new Int32Array(1 << 13)

  get isEmpty(): boolean {
    return this.#buckets.size === 0
  }

  /** False if no eight consecutive characters stay the same in every encoding. */
  add(known: KnownValue): boolean {
    const first = anchorFrom(known, 0)
    if (first < 0) return false
    let best = first
    let fewest = this.#crowd(known, first)
    for (let tried = 0, at = first; fewest >= CROWDED && tried < MOST_ANCHORS; tried += 1) {
      at = anchorFrom(known, at + 1)
      if (at < 0) break
      const crowd = this.#crowd(known, at)
      if (crowd < fewest) [best, fewest] = [at, crowd]
    }
    this.#addWindows(known, best, true)
    if (best !== first) this.#addWindows(known, first, false)
    return true
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
    for (let at = 0; at + WINDOW <= text.length; at += STRIDE) {
      if (this.#hasBits(hashAt(text, at))) found(at)
    }
  }

  /** True if a window of a value has these four bytes and this fifth one, or the same hash. */
  hasWindow(four: number, fifth: number): boolean {
    const hash = hashOf(four, fifth) || 1
    const mask = this.#hashes.length - 1
    for (let slot = (hash >>> 7) & mask; ; slot = (slot + 1) & mask) {
      const known = this.#hashes[slot]
      if (known === hash) return true
      if (known === 0) return false
    }
  }

  #addHash(hash: number): void {
    const mask = this.#hashes.length - 1
    let slot = (hash >>> 7) & mask
    while (this.#hashes[slot] !== 0) slot = (slot + 1) & mask
    this.#hashes[slot] = hash || 1
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
    const bucket = this.#buckets.get(hashAt(input.text, at))
    if (bucket === undefined) return null
    let match: Match | null = null
    let touched = false
    for (const { known, letter } of bucket.entries) {
      const found = knownAt(input, at, known, letter)
      touched ||= input.touchedEnd
      input.touchedEnd = false
      if (found === null) continue
      match = match === null ? found : together(match, found)
    }
    if (bucket.longest > 0 && input.text.length - at < bucket.longest) {
      touched = true
      input.undecidedFrom = Math.min(input.undecidedFrom, Math.max(0, at - ANCHOR * LONGEST_SPELLING))
    }
    input.touchedEnd = touched
    return match
  }

  #crowd(known: KnownValue, letter: number): number {
    let most = 0
    for (let shift = 0; shift < STRIDE; shift += 1) {
      most = Math.max(most, this.#buckets.get(hashOfLetters(known, letter + shift))?.entries.length ?? 0)
    }
    return most
  }

  #addWindows(known: KnownValue, letter: number, finds: boolean): void {
    for (let shift = 0; shift < STRIDE; shift += 1) {
      const hash = hashOfLetters(known, letter + shift)
      let bucket = this.#buckets.get(hash)
      if (bucket === undefined) {
        bucket = { entries: [], longest: 0 }
        this.#buckets.set(hash, bucket)
        this.#flag(hash)
      }
      if (finds) bucket.entries.push({ known, letter: letter + shift })
      else bucket.longest = Math.max(bucket.longest, known.letters.length * LONGEST_SPELLING)
    }
  }

  #flag(hash: number): void {
    if (this.#buckets.size > 2 * 2 ** this.#wordsLog && this.#wordsLog < MOST_WINDOW_WORDS_LOG) {
      this.#wordsLog += 1
      this.#bits = new Uint32Array(2 ** this.#wordsLog)
      for (const known of this.#buckets.keys()) this.#setBits(known)
      for (const mirror of this.#mirrors) mirror.set(this.#bits)
    }
    if (this.#buckets.size * 2 > this.#hashes.length) {
      this.#hashes = new Int32Array(this.#hashes.length * 2)
      for (const known of this.#buckets.keys()) this.#addHash(known)
    } else this.#addHash(hash)
    const word = this.#setBits(hash)
    for (const mirror of this.#mirrors) mirror[word] = this.#bits[word] ?? 0
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

/**
 * The first letter from `from` on that begins eight letters that every encoding leaves unchanged; -1 if there
 * is none.
 */
function anchorFrom({ letters }: Spelled, from: number): number {
  return inertRun(letters, from, ANCHOR)
}

export function inertRun(letters: Spelled['letters'], from: number, length: number): number {
  let run = 0
  for (let at = from; at < letters.length; at += 1) {
    run = isIn(INERT, letters[at]?.raw ?? '', 0) ? run + 1 : 0
    if (run === length) return at - length + 1
  }
  return -1
}

function hashOfLetters({ letters }: Spelled, from: number): number {
  let text = ''
  for (let at = from; at < from + WINDOW; at += 1) text += letters[at]?.raw ?? ''
  return hashAt(text, 0)
}

function hashAt(text: string, at: number): number {
  const four =
    (text.charCodeAt(at) & 255) |
    ((text.charCodeAt(at + 1) & 255) << 8) |
    ((text.charCodeAt(at + 2) & 255) << 16) |
    ((text.charCodeAt(at + 3) & 255) << 24)
  return hashOf(four, text.charCodeAt(at + 4) & 255)
}

/** Each bit depends on all five characters. */
function hashOf(four: number, fifth: number): number {
  const mixed = Math.imul(four ^ Math.imul(fifth, 0x27d4eb2f), 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
}

/** One bit in each byte of a word. */
function bitsOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f)
  return (
    (1 << (mixed & 7)) |
    (1 << (8 + ((mixed >>> 8) & 7))) |
    (1 << (16 + ((mixed >>> 16) & 7))) |
    (1 << (24 + ((mixed >>> 24) & 7)))
  )
}
