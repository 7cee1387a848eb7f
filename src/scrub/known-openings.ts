/**
 * The beginnings of known values that the index finds by a later part of them. A stream that ends inside such
 * a beginning must hold it back: the part by which the value is found comes with the next chunk.
 *
 * A tree by letters with small buckets: the time for a text hardly depends on the number of values.
 *
 * Decision 0297.
 */
import { Input } from './input.ts'
import { letterCount, openingOf, rawLetter, type Spelled, spelledEnd } from './spelling.ts'

/** Above this many openings, a bucket is divided by their next letter. */
const LARGEST_BUCKET = 16
/** Maximum length of one encoded character: `\\\\u0041`, `%2541`. */
export const LONGEST_SPELLING = 12
/**
 * Above this much held text a stream releases what may be the beginning of a value without enough plain
 * characters in a row.
 */
export const LONGEST_OPENING = 512

type Bucket = {
  /** The letters that all openings of this bucket begin with. */
  readonly head: Spelled
  openings: Spelled[]
  /** By the letter after the head; null while the bucket is small. */
  divided: Map<string, Bucket> | null
}

export class KnownOpenings {
  readonly #byFirst = new Map<string, Bucket>()
  #mostLetters = 0

  get isEmpty(): boolean {
    return this.#mostLetters === 0
  }

  add(opening: Spelled): void {
    this.#mostLetters = Math.max(this.#mostLetters, letterCount(opening))
    put(this.#byFirst, opening, 0)
  }

  /** The offset at which the text ends inside an opening; its length if it does not. */
  startIn(text: string): number {
    if (this.isEmpty) return text.length
    const input = new Input(text, false)
    const longest = Math.min(this.#mostLetters * LONGEST_SPELLING, LONGEST_OPENING)
    for (let at = Math.max(0, text.length - longest); at < text.length; at += 1)
      if (this.#endsInside(input, at)) return at
    return text.length
  }

  #endsInside(input: Input, at: number): boolean {
    const first = input.text.charAt(at)
    if (!MAY_SPELL_ANY.test(first)) {
      const bucket = this.#byFirst.get(first)
      return bucket !== undefined && endsInside(bucket, input, at)
    }
    for (const bucket of this.#byFirst.values()) if (endsInside(bucket, input, at)) return true
    return false
  }
}

/** An escape, an entity, a blank or plus sign for each other, or a byte of UTF-8. */
const MAY_SPELL_ANY = /[\\%&+= \x80-\uffff]/

function put(buckets: Map<string, Bucket>, opening: Spelled, depth: number): void {
  const letter = rawLetter(opening, depth)
  const bucket = buckets.get(letter)
  if (bucket === undefined)
    buckets.set(letter, { head: openingOf(opening, depth + 1), openings: [opening], divided: null })
  else putInto(bucket, opening)
}

function putInto(bucket: Bucket, opening: Spelled): void {
  const depth = letterCount(bucket.head)
  // The head itself: a text that ends inside of it ends inside the others too.
  if (letterCount(opening) <= depth) return
  if (bucket.divided !== null) {
    put(bucket.divided, opening, depth)
    return
  }
  if (bucket.openings.some((other) => isSame(other, opening))) return
  bucket.openings.push(opening)
  if (bucket.openings.length <= LARGEST_BUCKET) return
  const divided = new Map<string, Bucket>()
  for (const each of bucket.openings) if (letterCount(each) > depth) put(divided, each, depth)
  bucket.divided = divided
  bucket.openings = []
}

function isSame(one: Spelled, other: Spelled): boolean {
  const count = letterCount(one)
  if (count !== letterCount(other)) return false
  for (let at = 0; at < count; at += 1) if (rawLetter(one, at) !== rawLetter(other, at)) return false
  return true
}

function endsInside(bucket: Bucket, input: Input, at: number): boolean {
  const end = spelledEnd(input, at, bucket.head, 0)
  if (reachedEnd(input)) return true
  if (end < 0) return false
  if (bucket.divided === null) {
    for (const opening of bucket.openings) {
      spelledEnd(input, at, opening, 0)
      if (reachedEnd(input)) return true
    }
    return false
  }
  for (const next of bucket.divided.values()) if (endsInside(next, input, at)) return true
  return false
}

function reachedEnd(input: Input): boolean {
  const reached = input.touchedEnd
  input.touchedEnd = false
  return reached
}
