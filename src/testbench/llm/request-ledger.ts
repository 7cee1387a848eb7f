/**
 * Remembers recent requests of a run so that the next one can be written as what is new in it. Remembers
 * hashes of messages, never messages, and only of a bounded number of calls; what has been forgotten is
 * written whole again.
 *
 * Decision 0091.
 */
import { type ContentHash, contentHash, type Json, listOf, utf8 } from '../../base/index.ts'
import type { Scrubbed, ScrubbedJson, ScrubbedText } from '../../scrub/index.ts'
import { type ScrubbedObject, scrubbedNames } from '../../scrub/scrubbed-parts.ts'
import { conversationOf, type GrownRequest } from '../../tape/grown-request.ts'

const MAX_CALLS = 16
const MAX_HASHES = 50_000
/** A difference has to spare at least this many bytes. */
const WORTH_BYTES = 64

/** One request, cut into what is compared: made once, asked against several ledgers. */
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
  readonly messages: readonly ContentHash[]
  /** Everything but the conversation. */
  readonly members: ReadonlyMap<string, ContentHash>
  readonly order: readonly ScrubbedText[]
}

/** The parts of messages that a session has seen, for as long as somebody keeps the message. */
export type KnownParts = WeakMap<object, Part>

export function requestParts(body: ScrubbedObject, known: KnownParts = new WeakMap()): RequestParts {
  const list = conversationOf(body)
  const members = new Map(
    Object.entries(body).flatMap(([name, value]) => (name === list ? [] : [[name, partOf(value)] as const])),
  )
  const messages = list === null ? [] : listOf(body[list]).map((message) => knownPart(message, known))
  return { body, list, messages, members }
}

export class RequestLedger {
  readonly #known: Known[] = []
  #hashes = 0

  /** The request as a difference from the known one that spares most; null if it has to be written whole. */
  difference(parts: RequestParts): ScrubbedDifference | null {
    let best: { readonly known: Known; readonly keep: number; readonly spared: number } | null = null
    for (const known of this.#known) {
      const { keep, spared } = likeness(parts, known)
      // Among equals the latest: a chain of turns reads better than a star.
      if (spared >= WORTH_BYTES && (best === null || spared >= best.spared)) best = { known, keep, spared }
    }
    return best === null ? null : differenceFrom(parts, best.known, best.keep)
  }

  /** The request is stored in record `seq`, whole or as a difference. */
  add(seq: number, parts: RequestParts): void {
    const members = new Map([...parts.members].map(([name, { hash }]) => [name, hash]))
    this.#known.push({
      seq,
      list: parts.list,
      messages: parts.messages.map(({ hash }) => hash),
      members,
      order: scrubbedNames(parts.body),
    })
    this.#hashes += parts.messages.length
    while (this.#known.length > MAX_CALLS || (this.#hashes > MAX_HASHES && this.#known.length > 1)) {
      this.#hashes -= this.#known.shift()?.messages.length ?? 0
    }
  }
}

function likeness(parts: RequestParts, known: Known): { readonly keep: number; readonly spared: number } {
  if (parts.list !== known.list) return { keep: 0, spared: 0 }
  let keep = 0
  let spared = 0
  for (const { hash, bytes } of parts.messages) {
    if (known.messages[keep] !== hash) break
    keep += 1
    spared += bytes
  }
  for (const [name, { hash, bytes }] of parts.members) if (known.members.get(name) === hash) spared += bytes
  return { keep, spared }
}

function differenceFrom(parts: RequestParts, known: Known, keep: number): ScrubbedDifference {
  const names = scrubbedNames(parts.body)
  const changed = names.filter(
    (name) => name !== parts.list && known.members.get(name) !== parts.members.get(name)?.hash,
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

function knownPart(message: Json, known: KnownParts): Part {
  if (typeof message !== 'object' || message === null) return partOf(message)
  const part = known.get(message) ?? partOf(message)
  known.set(message, part)
  return part
}

function partOf(value: Json): Part {
  const bytes = utf8(JSON.stringify(value))
  return { hash: contentHash(bytes), bytes: bytes.byteLength }
}
