/**
 * Remembers recent requests of a run, so that the next one can be written as a difference. Stores hashes of
 * messages, never messages, and only of a bounded number of calls; older requests are written whole again.
 *
 * Decision 0091.
 */
import { type ContentHash, contentHash, GrowingMap, type Json, listOf, utf8 } from '../../base/index.ts'
import type { Scrubbed, ScrubbedJson, ScrubbedText } from '../../scrub/index.ts'
import { type ScrubbedObject, scrubbedNames } from '../../scrub/scrubbed-parts.ts'
import { conversationOf, type GrownRequest } from '../../tape/grown-request.ts'

const MAX_CALLS = 16
const MAX_HASHES = 50_000
/** A difference must save at least this many bytes. */
const WORTH_BYTES = 64

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
  const members = new Map(
    Object.entries(body).flatMap(([name, value]) => (name === list ? [] : [[name, partOf(value)] as const])),
  )
  const messages = list === null ? [] : known.of(listOf(body[list]))
  return { body, list, messages, members }
}

export class RequestLedger {
  readonly #known: Known[] = []
  #hashes = 0

  /** The request as a difference from the known one that saves most; null if it must be written whole. */
  difference(parts: RequestParts): ScrubbedDifference | null {
    const all = [...parts.members.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    let best: (Likeness & { readonly known: Known }) | null = null
    // Among equals the latest: a chain of turns is easier to read than a star.
    for (const known of this.#known.toReversed()) {
      // Has no message more in common, and no more members than all of them.
      if (best !== null && known.messages.length <= best.keep && best.ofMembers === all) continue
      const like = likeness(parts, known)
      if (sparedBy(like) >= WORTH_BYTES && (best === null || sparedBy(like) > sparedBy(best)))
        best = { ...like, known }
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
  }
}

/** How many messages two requests begin with alike, and the bytes that they have in common. */
type Likeness = { readonly keep: number; readonly ofMessages: number; readonly ofMembers: number }

function sparedBy({ ofMessages, ofMembers }: Likeness): number {
  return ofMessages + ofMembers
}

function likeness(parts: RequestParts, known: Known): Likeness {
  if (parts.list !== known.list) return { keep: 0, ofMessages: 0, ofMembers: 0 }
  let keep = 0
  let ofMessages = 0
  for (const message of parts.messages) {
    const other = known.messages[keep]
    // The same object for a message that this session has seen before.
    if (other !== message && other?.hash !== message.hash) break
    keep += 1
    ofMessages += message.bytes
  }
  let ofMembers = 0
  for (const [name, { hash, bytes }] of parts.members)
    if (known.members.get(name)?.hash === hash) ofMembers += bytes
  return { keep, ofMessages, ofMembers }
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
