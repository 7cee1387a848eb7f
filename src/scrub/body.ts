/**
 * The body of a request or a response, chunk by chunk.
 *
 * Some bodies can only be parsed whole: compressed bodies, and JSON, form and multipart bodies of requests.
 * They are held until their end, and so are small JSON and forms that a client sends to a server of the
 * program; all others pass through the stream scrubber as they arrive. So do large ones; of a large multipart
 * body one part at a time is held. A compressed
 * body without a secret is returned as the original bytes. With a secret it is returned decoded and scrubbed,
 * and the result is marked: the caller must encode it again at replay and correct its length.
 */
import { concatBytes, equalBytes } from '../base/index.ts'
import { learnAskedFields } from './asked-fields.ts'
import { createCompressedBody } from './compressed-body.ts'
import { type ContentTools, contentKind, contentText, multipartDelimiter, scrubContent } from './content.ts'
import { decode, encodingsOf, MOST_DECODED } from './encodings.ts'
import { createMultipartStream } from './multipart-stream.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { BodyEnd, BodyHead, BodyScrubber, Side, StreamScrubber } from './scrubber.ts'
import type { UnchangedJson } from './unchanged-json.ts'

export type BodyTools = ContentTools & {
  /** The last JSON bodies of requests. */
  readonly unchanged: UnchangedJson
  /** True for a large list that has nothing to scrub. */
  isCleanList(bytes: Uint8Array): boolean
  hits(): number
  stream(side: Side, isUsedAtOnce?: boolean): StreamScrubber
  /** Replaces a body that is too large to search. */
  withhold(): string
}

/** Larger bodies of clients are not searched by the names of their fields. */
const MOST_ASKED = 4 * 1024 * 1024
/** A longer JSON body is searched in parts, if it can be: as a text it would take as much memory again. */
const LONGEST_TEXT = 8 * 1024 * 1024
const NOTHING = asScrubbed<Uint8Array>(new Uint8Array(0))

export function createBody(head: BodyHead, side: Side, tools: BodyTools): BodyScrubber {
  const encodings = encodingsOf(head.contentEncoding)
  const kind = contentKind(head.contentType)
  const isWhole = head.isLarge !== true && (kind === 'multipart' || (side === 'sent' && kind !== 'other'))
  const isHeld = encodings.length > 0 || isWhole
  if (!isHeld && head.isAsked === true && (kind === 'json' || kind === 'form'))
    return new AskedBody(head, side, tools)
  if (!isHeld) {
    const delimiter = kind === 'multipart' ? multipartDelimiter(head.contentType ?? '') : null
    const stream =
      delimiter === null
        ? tools.stream(side, head.isUsedAtOnce)
        : createMultipartStream(delimiter, side, tools)
    return new PassingBody(stream, tools)
  }
  if (encodings.length === 0) return new HeldBody(head, encodings, side, tools)
  return createCompressedBody(
    encodings,
    side,
    tools,
    new HeldBody({ ...head, isOwned: true }, encodings, side, tools),
  )
}

// Classes: one is made for each body, and V8 takes 1 to 10 µs for an object literal with a getter.

class PassingBody implements BodyScrubber {
  readonly isHeld = false
  readonly #stream: StreamScrubber
  readonly #tools: BodyTools
  readonly #before: number

  constructor(stream: StreamScrubber, tools: BodyTools) {
    this.#stream = stream
    this.#tools = tools
    this.#before = tools.hits()
  }

  get held(): number {
    return this.#stream.held
  }

  push(chunk: Uint8Array): ScrubbedBytes {
    return this.#stream.push(chunk)
  }

  end(): BodyEnd {
    const rest = this.#stream.end()
    const chunks = rest.byteLength === 0 ? [] : [rest]
    return { chunks, decoded: false, scrubbed: this.#tools.hits() - this.#before }
  }
}

/** Held while it is small; a larger one passes as a stream from there on. */
class AskedBody implements BodyScrubber {
  readonly isHeld = false
  readonly #head: BodyHead
  readonly #side: Side
  readonly #tools: BodyTools
  readonly #passing: PassingBody
  #chunks: Uint8Array[] | null = []
  #held = 0

  constructor(head: BodyHead, side: Side, tools: BodyTools) {
    this.#head = head
    this.#side = side
    this.#tools = tools
    this.#passing = new PassingBody(tools.stream(side), tools)
  }

  get held(): number {
    return this.#held + this.#passing.held
  }

  push(chunk: Uint8Array): ScrubbedBytes {
    if (this.#chunks === null) return this.#passing.push(chunk)
    this.#chunks.push(this.#head.isOwned === true ? chunk : new Uint8Array(chunk))
    this.#held += chunk.byteLength
    if (this.#held <= MOST_ASKED) return NOTHING
    const whole = concatBytes(this.#chunks)
    this.#chunks = null
    this.#held = 0
    return this.#passing.push(whole)
  }

  end(): BodyEnd {
    if (this.#chunks === null) return this.#passing.end()
    this.#held = 0
    const small = new HeldBody({ ...this.#head, isOwned: true }, [], this.#side, this.#tools)
    for (const chunk of this.#chunks) small.push(chunk)
    return small.end()
  }
}

class HeldBody implements BodyScrubber {
  readonly isHeld = true
  readonly #head: BodyHead
  readonly #encodings: readonly string[]
  readonly #side: Side
  readonly #tools: BodyTools
  readonly #chunks: Uint8Array[] = []
  held = 0

  constructor(head: BodyHead, encodings: readonly string[], side: Side, tools: BodyTools) {
    this.#head = head
    this.#encodings = encodings
    this.#side = side
    this.#tools = tools
  }

  push(chunk: Uint8Array): ScrubbedBytes {
    this.held += chunk.byteLength
    this.#chunks.push(this.#head.isOwned === true ? chunk : new Uint8Array(chunk))
    return NOTHING
  }

  end(): BodyEnd {
    const head = this.#head
    const tools = this.#tools
    const before = tools.hits()
    const whole = concatBytes(this.#chunks)
    if (whole.byteLength === 0) return { chunks: [], decoded: false, scrubbed: 0 }
    const plain = decode(whole, this.#encodings, head.mostBytes ?? MOST_DECODED)
    if (plain.kind === 'too-large')
      return {
        chunks: [asScrubbed<Uint8Array>(Buffer.from(tools.withhold()))],
        decoded: true,
        scrubbed: tools.hits() - before,
      }
    const bytes = plain.kind === 'decoded' ? plain.bytes : whole
    const type = plain.kind === 'decoded' ? head.contentType : undefined
    const isGrowing = this.#side === 'sent' && bytes === whole && contentKind(type) === 'json'
    const unchanged = { chunks: this.#chunks.map(clean), decoded: false, scrubbed: 0 }
    if (isGrowing && tools.unchanged.has(bytes)) return unchanged
    if (isGrowing && bytes.byteLength > LONGEST_TEXT && tools.isCleanList(bytes)) return unchanged
    const text = contentText(bytes, type)
    if (head.isAsked === true) learnAskedFields(text ?? latin1(bytes), contentKind(type), tools.secrets)
    const done = scrubContent(bytes, type, this.#side, tools, text)
    if (isGrowing && text !== null && done === bytes) tools.unchanged.add(bytes, text)
    if (done === bytes || equalBytes(done, bytes)) return unchanged
    return {
      chunks: [clean(done)],
      decoded: plain.kind === 'decoded' && this.#encodings.length > 0,
      scrubbed: tools.hits() - before,
    }
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function clean(bytes: Uint8Array): ScrubbedBytes {
  return asScrubbed<Uint8Array>(bytes)
}
