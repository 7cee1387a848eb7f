/**
 * Remembers recent requests of a run, so that the next one can be written as a difference. Stores hashes of
 * messages, never messages, and only of a bounded number of calls; older requests are written whole again.
 *
 * Decision 0091.
 */
import {
  type ContentHash,
  contentHash,
  GrowingMap,
  type Json,
  knownCommon,
  listOf,
  utf8,
} from '../../base/index.ts'
import type { Scrubbed, ScrubbedJson, ScrubbedText } from '../../scrub/index.ts'
import { type ScrubbedObject, scrubbedNames } from '../../scrub/scrubbed-parts.ts'
import { conversationOf, type GrownRequest } from '../../tape/grown-request.ts'

const MAX_CALLS = 16
const MAX_HASHES = 50_000
/** A difference must save at least this many bytes. */
const WORTH_BYTES = 64
/** Names of members whose last value is kept. */
const MAX_MEMBERS = 64

/** One request, split into the parts that are compared: made once, compared with several ledgers. */
export type RequestParts = {
  readonly body: ScrubbedObject
  readonly list: string | null
  readonly messages: readonly Part[]
  readonly members: ReadonlyMap<string, Part>
}

type ScrubbedDifference = Scrubbed<GrownRequest>

type Part = { readonly hash: ContentHash; readonly bytes: number }

type Known = {
  readonly seq: number
  readonly list: string | null
  readonly messages: readonly Part[]
  /** Everything but the conversation. */
  readonly members: ReadonlyMap<string, Part>
  readonly order: readonly ScrubbedText[]
}

/** The parts of messages that a session has seen, for as long as the message is referenced. */
export class KnownParts {
  readonly #byMessage = new WeakMap<object, Part>()
  readonly #lists = new GrowingMap<Json, Part>()
  /** The last value of each member: a chat sends the same model and the same options in each turn. */
  readonly #members = new Map<string, { readonly value: Json; readonly part: Part }>()

  member(name: string, value: Json): Part {
    const known = this.#members.get(name)
    if (known !== undefined && known.value === value) return known.part
    const part = partOf(value)
    if (this.#members.size >= MAX_MEMBERS) this.#members.clear()
    this.#members.set(name, { value, part })
    return part
  }

  of(messages: readonly Json[]): readonly Part[] {
    return this.#lists.map(messages, (message) => this.#part(message))
  }

  #part(message: Json): Part {
    if (typeof message !== 'object' || message === null) return partOf(message)
    const known = this.#byMessage.get(message)
    if (known !== undefined) return known
    const part = partOf(message)
    this.#byMessage.set(message, part)
    return part
  }
}

export function requestParts(body: ScrubbedObject, known: KnownParts = new KnownParts()): RequestParts {
  const list = conversationOf(body)
  const members = new Map<string, Part>()
  for (const [name, value] of Object.entries(body))
    if (name !== list) members.set(name, known.member(name, value))
  const messages = list === null ? [] : known.of(listOf(body[list]))
  return { body, list, messages, members }
}

export class RequestLedger {
  readonly #known: Known[] = []
  #hashes = 0
  /** Of any known request. */
  #mostMessages = 0

  /** The request as a difference from the known one that saves most; null if it must be written whole. */
  difference(parts: RequestParts): ScrubbedDifference | null {
    let all = 0
    for (const { bytes } of parts.members.values()) all += bytes
    let best: Likeness | null = null
    // Among equals the latest: a chain of turns is easier to read than a star.
    for (let at = this.#known.length - 1; at >= 0; at -= 1) {
      const known = this.#known[at]
      if (known === undefined) continue
      // One that has all members in common is only worse than one with more messages in common.
      if (best !== null && best.ofMembers === all) {
        if (this.#mostMessages <= best.keep) break
        if (known.messages.length <= best.keep) continue
      }
      const like = likeness(parts, known)
      const least = best === null ? WORTH_BYTES : best.ofMembers + 1
      if (sparesAtLeast(least, like, best?.keep ?? 0, parts.messages)) best = like
    }
    return best === null ? null : differenceFrom(parts, best.known, best.keep)
  }

  /** The request is stored in record `seq`, whole or as a difference. */
  add(seq: number, parts: RequestParts): void {
    const { list, messages, members } = parts
    this.#known.push({ seq, list, messages, members, order: scrubbedNames(parts.body) })
    this.#hashes += messages.length
    while (this.#known.length > MAX_CALLS || (this.#hashes > MAX_HASHES && this.#known.length > 1)) {
      this.#hashes -= this.#known.shift()?.messages.length ?? 0
    }
    this.#mostMessages = 0
    for (const known of this.#known)
      if (known.messages.length > this.#mostMessages) this.#mostMessages = known.messages.length
  }
}

/** How many messages two requests begin with alike, and the bytes of the members that they have in common. */
type Likeness = { readonly known: Known; readonly keep: number; readonly ofMembers: number }

/**
 * Whether it spares so many bytes, not counting the first `from` messages. A long conversation is not summed up:
 * all that is compared begins alike.
 */
function sparesAtLeast(
  least: number,
  { keep, ofMembers }: Likeness,
  from: number,
  messages: readonly Part[],
): boolean {
  let bytes = ofMembers
  for (let at = keep; at < from; at += 1) bytes -= messages[at]?.bytes ?? 0
  for (let at = from; at < keep && bytes < least; at += 1) bytes += messages[at]?.bytes ?? 0
  return bytes >= least
}

function likeness(parts: RequestParts, known: Known): Likeness {
  if (parts.list !== known.list) return { known, keep: 0, ofMembers: 0 }
  const { messages } = parts
  // The lists of two turns of a chat are known to begin alike.
  let keep = knownCommon(known.messages, messages)
  while (keep < messages.length && isSamePart(known.messages[keep], messages[keep])) keep += 1
  let ofMembers = 0
  for (const [name, { hash, bytes }] of parts.members)
    if (known.members.get(name)?.hash === hash) ofMembers += bytes
  return { known, keep, ofMembers }
}

/** The same object for a message that this session has seen before. */
function isSamePart(a: Part | undefined, b: Part | undefined): boolean {
  return a === b || (a !== undefined && a.hash === b?.hash)
}

function differenceFrom(parts: RequestParts, known: Known, keep: number): ScrubbedDifference {
  const names = scrubbedNames(parts.body)
  const changed = names.filter(
    (name) => name !== parts.list && known.members.get(name)?.hash !== parts.members.get(name)?.hash,
  )
  const drop = known.order.filter((name) => name !== parts.list && !parts.members.has(name))
  const order = [
    ...known.order.filter((name) => !drop.includes(name)),
    ...names.filter((name) => !known.order.includes(name)),
  ]
  return {
    base: known.seq,
    keep,
    append: conversation(parts).slice(keep),
    ...(changed.length === 0
      ? {}
      : {
          set: Object.fromEntries(
            Object.entries(parts.body).filter(([name]) => changed.some((one) => one === name)),
          ),
        }),
    ...(drop.length === 0 ? {} : { drop }),
    ...(order.every((name, at) => name === names[at]) ? {} : { order: names }),
  }
}

function conversation({ body, list }: RequestParts): readonly ScrubbedJson[] {
  const messages = list === null ? undefined : body[list]
  return isList(messages) ? messages : []
}

function isList(value: ScrubbedJson | undefined): value is readonly ScrubbedJson[] {
  return Array.isArray(value)
}

function partOf(value: Json): Part {
  const bytes = utf8(JSON.stringify(value))
  return { hash: contentHash(bytes), bytes: bytes.byteLength }
}
