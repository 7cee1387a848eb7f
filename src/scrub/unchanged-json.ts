/**
 * Remembers the last JSON bodies that a program sent and that contained no secret. The next request of a chat
 * begins as the one before: only what follows is decoded and searched.
 *
 * `has` gives true only where the edits of the whole text are none: those of each token depend on the token and
 * the frames around it, and the frames at the end of a message are kept. It is valid until the scrubber learns
 * a new value. The size of the memory is bounded.
 *
 * Decision 0448.
 */
import { beginAlike, byteOffsets, textOrNull } from '../base/index.ts'
import { FieldSecrets } from './field-secrets.ts'
import type { Finder } from './finder.ts'
import { jsonEdits, type MessageWalk, type OpenFrames } from './json-edits.ts'
import type { KnownValues } from './known-values.ts'
import type { NameRules } from './names.ts'

type MessageEnd = { readonly at: number; readonly frames: OpenFrames }
type Known = {
  readonly bytes: Uint8Array
  /** The ends of the last messages, in order; null if the text was not walked through. */
  readonly ends: readonly MessageEnd[] | null
  /** No name in the text counts: searching such a text whole is faster than by structure. */
  readonly isPlain: boolean
}
type Walk = (text: string, walk: MessageWalk) => boolean

/** Below this length searching the whole text takes no time. */
const SHORTEST = 4096
const LONGEST = 8 * 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024
const MOST_KNOWN = 4
/** Clients mark the last messages, and take the mark away in the next request. */
const MOST_ENDS = 16
/** Searching by structure takes so many times as long as searching a plain text. */
const STRUCTURE_COST = 16

export class UnchangedJson {
  readonly #finder: Finder
  readonly #hasNoEdits: Walk
  #known: Known[] = []
  #version = -1

  constructor(finder: Finder, hasNoEdits: Walk) {
    this.#finder = finder
    this.#hasNoEdits = hasNoEdits
  }

  /** True if the body is known to be unchanged. Then it is remembered as well, and must not change. */
  has(bytes: Uint8Array): boolean {
    if (!this.#isKept(bytes)) return false
    const start = this.#start(bytes)
    if (start === null) return false
    const { known, from } = start
    const base = from?.at ?? 0
    const rest = bytes.byteLength - base
    // The first walk goes through the whole text. It is worth it if the next ones are short.
    const added = from === null ? bytes.byteLength - known.bytes.byteLength : rest
    if (known.isPlain && added * STRUCTURE_COST > bytes.byteLength) return false
    const text = textOrNull(bytes.subarray(base))
    const ends = (known.ends ?? []).filter(({ at }) => at <= base)
    const offsetOf = byteOffsets(text ?? '', rest)
    const messageEnded = (at: number, frames: OpenFrames): void => {
      ends.push({ at: base + offsetOf(at), frames })
      if (ends.length > MOST_ENDS) ends.shift()
    }
    this.#known.splice(this.#known.indexOf(known), 1)
    if (text === null || !this.#hasNoEdits(text, { from: from?.frames ?? null, messageEnded })) return false
    this.#remember({ bytes, ends, isPlain: known.isPlain })
    return true
  }

  /** The whole text of this body was searched, and is unchanged. The bytes must not change. */
  add(bytes: Uint8Array, text: string): void {
    if (!this.#isKept(bytes) || this.#known.some((known) => hasNoMessages(known, bytes))) return
    this.#known = this.#known.filter((known) => known.ends !== null || !hasSameHalf(known, bytes))
    this.#remember({ bytes, ends: null, isPlain: !this.#finder.mayNameSecrets(text, 'sent') })
  }

  #isKept({ byteLength }: Uint8Array): boolean {
    if (this.#version !== this.#finder.version) {
      this.#version = this.#finder.version
      this.#known = []
    }
    return byteLength >= SHORTEST && byteLength <= LONGEST
  }

  /** A known body that this one begins as, and the end of the last message that both have. */
  #start(bytes: Uint8Array): { readonly known: Known; readonly from: MessageEnd | null } | null {
    for (const known of this.#known.toReversed()) {
      if (known.ends === null && hasSameHalf(known, bytes)) return { known, from: null }
      const from = known.ends?.findLast(({ at }) => beginAlike(bytes, known.bytes, at))
      if (from !== undefined) return { known, from }
    }
    return null
  }

  #remember(known: Known): void {
    this.#known.push(known)
    let sum = this.#known.reduce((all, { bytes }) => all + bytes.byteLength, 0)
    while (this.#known.length > MOST_KNOWN || sum > MOST_BYTES)
      sum -= this.#known.shift()?.bytes.byteLength ?? 0
  }
}

/**
 * True if the scrubber has nothing to change in the JSON that it walks through. Ends at the first secret,
 * before it is learned, counted or given a number: the search of the whole text does that.
 */
export function hasNoEdits(names: NameRules, finder: Finder, known: KnownValues): Walk {
  const found = (): never => {
    throw new SecretFound()
  }
  const secrets = new FieldSecrets(
    names,
    {
      finder,
      known,
      text: found,
      replace: found,
      placeholder: found,
      issuedAs: () => undefined,
      issuePlain: () => undefined,
      isIssuedPlain: () => false,
    },
    found,
  )
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
function hasNoMessages(known: Known, bytes: Uint8Array): boolean {
  return known.ends?.length === 0 && hasSameHalf(known, bytes)
}

function hasSameHalf({ bytes: known }: Known, bytes: Uint8Array): boolean {
  return beginAlike(bytes, known, known.byteLength >> 1)
}
