/**
 * The body of a request that is too large to hold: scrubbed as a stream, hashed as a stream, written to the
 * CAS as it arrives. Memory does not grow with it.
 *
 * A body that may be JSON is held up to `MOST_HELD_JSON`, because its canonical form is its key and a call of
 * a model is recognised by its members. Any other body is held up to `LARGE_BODY_BYTES`. The key of a larger
 * one is the hash of its scrubbed bytes, with placeholders and the boundary of multipart normalised.
 *
 * Decision 0360.
 */
import { type ContentHash, concatBytes, createBlake3, headerOf, utf8 } from '../../base/index.ts'
import { type HeaderList, LARGE_BODY_BYTES, type RequestBody } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import type { BodyScrubber } from '../../scrub/scrubber.ts'
import { hasFeature } from '../../tape/features.ts'
import type { Payload, TapeHeader, TapeRecorder } from '../../tape/index.ts'
import type { PayloadStream } from '../../tape/payload-stream.ts'
import { NormalisedBytes } from './normalised-bytes.ts'

const MOST_HELD_JSON = 32 * 1024 * 1024

export type BodyStore = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  /** Whether the tape has such bodies: if not, every body is held. */
  readonly streams: boolean
}

export function bodyStore(tools: {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  readonly tape: { readonly header: TapeHeader } | null
}): BodyStore {
  const { recorder, scrubber, tape } = tools
  return { recorder, scrubber, streams: tape === null || hasFeature(tape.header, 'largeBodies') }
}

/** A body that was stored while it arrived. */
export type StoredBody = {
  readonly payload: Scrubbed<Payload>
  readonly lenBytes: number
  /** The hash of these lines and the normalised body. */
  digest(lines: readonly string[]): ContentHash
}

export class LargeBody implements RequestBody {
  readonly #headers: HeaderList
  readonly #store: BodyStore
  #held: Uint8Array[] = []
  #heldBytes = 0
  #most: number | null = null
  #stream: StoringStream | null = null

  constructor(headers: HeaderList, store: BodyStore) {
    this.#headers = headers
    this.#store = store
  }

  /** `isBorrowed`: the bytes may change after the call. They are copied if they are held. */
  add(bytes: Uint8Array, isBorrowed = false): void {
    this.#heldBytes += bytes.byteLength
    this.#most ??= this.#store.streams ? mostHeld(this.#headers, bytes) : Number.POSITIVE_INFINITY
    if (this.#heldBytes <= this.#most) {
      this.#held.push(isBorrowed ? new Uint8Array(bytes) : bytes)
      return
    }
    this.#stream ??= new StoringStream(this.#headers, this.#store)
    for (const held of this.#held.splice(0)) this.#stream.add(held)
    this.#stream.add(bytes)
  }

  drop(): void {
    this.#held = []
    this.#stream?.drop()
  }

  /** Bytes if it was small enough. */
  end(): Uint8Array | StoredBody {
    return this.#stream === null ? concatBytes(this.#held) : this.#stream.end()
  }
}

/** True for a body that would only be collected and returned as it is. */
export function isHeldWhole(headers: HeaderList, body: Uint8Array, { streams }: BodyStore): boolean {
  return !streams || body.byteLength <= LARGE_BODY_BYTES || body.byteLength <= mostHeld(headers, body)
}

const MAYBE_JSON = /^(?:application|text)\/(?:[\w.-]+\+)?json\b/i

function mostHeld(headers: HeaderList, first: Uint8Array): number {
  if (headerOf(headers, 'content-encoding') !== undefined) return LARGE_BODY_BYTES
  const start = first.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
  const isJson = start === OPEN_BRACE || start === OPEN_BRACKET
  return isJson || MAYBE_JSON.test(headerOf(headers, 'content-type') ?? '')
    ? MOST_HELD_JSON
    : LARGE_BODY_BYTES
}

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

class StoringStream {
  readonly #scrubber: BodyScrubber
  readonly #payload: PayloadStream
  readonly #normalised: NormalisedBytes
  /** Lines of headers come first in the hash, and are known at the end: so the body has its own hash. */
  readonly #hash = createBlake3()
  #lenBytes = 0

  constructor(headers: HeaderList, { recorder, scrubber }: BodyStore) {
    const contentType = headerOf(headers, 'content-type')
    const contentEncoding = headerOf(headers, 'content-encoding')
    this.#scrubber = scrubber.body(
      { contentType, contentEncoding, isLarge: true, isUsedAtOnce: true },
      'sent',
    )
    this.#payload = recorder.payloadStream()
    this.#normalised = new NormalisedBytes(contentType, (bytes) => this.#hash.update(bytes))
  }

  add(bytes: Uint8Array): void {
    this.#take(this.#scrubber.push(bytes))
  }

  end(): StoredBody {
    for (const chunk of this.#scrubber.end().chunks) this.#take(chunk)
    this.#normalised.end()
    const body = this.#hash.digest()
    const digest = (lines: readonly string[]): ContentHash => {
      const hash = createBlake3()
      hash.update(utf8([...lines, body].join('\n')))
      return hash.digest()
    }
    return { payload: this.#payload.end(), lenBytes: this.#lenBytes, digest }
  }

  drop(): void {
    this.#payload.drop()
  }

  /** The bytes may be those of the program: what is held of them is copied. */
  #take(bytes: ScrubbedBytes): void {
    this.#lenBytes += bytes.byteLength
    this.#payload.add(bytes)
    this.#normalised.add(bytes)
  }
}
