/**
 * Remembers the last JSON texts that a program sent and that contained no secret. The next request of a chat
 * begins as the one before: only what follows is searched.
 *
 * `has` gives true only where the edits of the whole text are none: those of each token depend on the token and
 * the frames around it, and the frames at the end of a message are kept. It is valid until the scrubber learns
 * a new value. The size of the memory is bounded.
 *
 * Decision 0448.
 */
import { FieldSecrets } from './field-secrets.ts'
import type { Finder } from './finder.ts'
import { type ItemEnd, type ItemWalk, jsonEdits } from './json-edits.ts'
import type { KnownValues } from './known-values.ts'
import type { NameRules } from './names.ts'

type Known = {
  readonly text: string
  /** The ends of the last messages, in order; null if nobody walked through the text. */
  readonly ends: readonly ItemEnd[] | null
  /** The text was unchanged without a look at its structure, which is faster. */
  readonly isClear: boolean
}

/** Below this length searching the whole text takes no time. */
const SHORTEST = 4096
const LONGEST = 8 * 1024 * 1024
const MOST_CHARACTERS = 16 * 1024 * 1024
const MOST_KNOWN = 4
/** Clients mark the last messages, and take the mark away in the next request. */
const MOST_ENDS = 16
/** Searching by structure takes so many times as long as searching a text that is clear. */
const STRUCTURE_COST = 8

export class UnchangedJson {
  readonly #finder: Finder
  readonly #hasNoEdits: (text: string, walk: ItemWalk) => boolean
  #known: Known[] = []
  #version = -1

  constructor(finder: Finder, hasNoEdits: (text: string, walk: ItemWalk) => boolean) {
    this.#finder = finder
    this.#hasNoEdits = hasNoEdits
  }

  /** True if the text is known to be unchanged. Then it is remembered as well. */
  has(text: string): boolean {
    if (!this.#isKept(text)) return false
    const start = this.#start(text)
    if (start === null) return false
    const { known, from } = start
    const rest = text.length - (from?.at ?? 0)
    if (known.isClear && from !== null && rest > SHORTEST && rest * STRUCTURE_COST > text.length) return false
    const ends = (known.ends ?? []).filter(({ at }) => from !== null && at <= from.at)
    const itemEnded = (end: ItemEnd): void => {
      ends.push(end)
      if (ends.length > MOST_ENDS) ends.shift()
    }
    this.#known.splice(this.#known.indexOf(known), 1)
    if (!this.#hasNoEdits(text, { from, itemEnded })) return false
    this.#remember({ text, ends, isClear: known.isClear })
    return true
  }

  /** The whole text was searched, and is unchanged. */
  add(text: string, isClear: boolean): void {
    if (!this.#isKept(text) || this.#known.some((known) => hasNoItems(known, text))) return
    this.#remember({ text, ends: null, isClear })
  }

  #isKept(text: string): boolean {
    if (this.#version !== this.#finder.version) {
      this.#version = this.#finder.version
      this.#known = []
    }
    return text.length >= SHORTEST && text.length <= LONGEST
  }

  /** A known text that this one begins as, and the end of the last message that both have. */
  #start(text: string): { readonly known: Known; readonly from: ItemEnd | null } | null {
    for (const known of this.#known.toReversed()) {
      if (known.ends === null && beginAlike(text, known.text, known.text.length >> 1))
        return { known, from: null }
      const from = known.ends?.findLast(({ at }) => beginAlike(text, known.text, at))
      if (from !== undefined) return { known, from }
    }
    return null
  }

  #remember(known: Known): void {
    this.#known.push(known)
    let characters = this.#known.reduce((sum, { text }) => sum + text.length, 0)
    while (this.#known.length > MOST_KNOWN || characters > MOST_CHARACTERS)
      characters -= this.#known.shift()?.text.length ?? 0
  }
}

/**
 * True if the scrubber has nothing to change in the JSON that it walks through. Ends at the first secret,
 * before it is learned, counted or given a number: the search of the whole text does that.
 */
export function hasNoEdits(
  names: NameRules,
  finder: Finder,
  known: KnownValues,
): (text: string, walk: ItemWalk) => boolean {
  const found = (): never => {
    throw new SecretFound()
  }
  const secrets = new FieldSecrets(names, { finder, known, text: found, placeholder: found }, found)
  return (text, walk) => {
    try {
      return jsonEdits(text, 'sent', secrets, '', 0, walk)?.length === 0
    } catch (error) {
      if (error instanceof SecretFound) return false
      throw error
    }
  }
}

class SecretFound extends Error {}

/** Another walk would find no end of a message either. */
function hasNoItems(known: Known, text: string): boolean {
  return known.ends?.length === 0 && beginAlike(text, known.text, known.text.length >> 1)
}

/** V8 compares two slices by memory, 40 times faster than `startsWith`, which goes by character. */
function beginAlike(one: string, other: string, length: number): boolean {
  return one.length >= length && one.slice(0, length) === other.slice(0, length)
}
