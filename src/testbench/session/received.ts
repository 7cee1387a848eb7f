/**
 * How what the program receives gets onto the tape. Real data passes the scrubber. Data from a tape was
 * scrubbed when that tape was written and passes unchanged; if its bytes were held back, the record contains
 * that, and they are split there again.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Json } from '../../base/index.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedJson, ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import type { StreamScrubber } from '../../scrub/scrubber.ts'
import type { HeaderPairs } from '../../tape/index.ts'
import type { Recorded } from './delivery.ts'

export type Received = {
  text(text: string): ScrubbedText
  value(value: Json): ScrubbedJson
  bytes(bytes: Uint8Array): ScrubbedBytes
  headers(headers: HeaderPairs): Scrubbed<HeaderPairs>
  /** The bytes of a response body. */
  body(contentType: string | undefined, contentEncoding: string): ByteLane
  /** The body of a request to a server of the program. */
  askedBody(contentType: string | undefined, contentEncoding: string): ByteLane
  /** The bytes of any other stream. */
  stream(): ByteLane
  /** The bytes of a protocol that may count them: secrets become masks of equal length. */
  maskedStream(): ByteLane
  /** Secrets replaced so far. For data from a tape the record has the number. */
  readonly hits: number
}

/** A stream of bytes on its way to the tape: each chunk returns the bytes that can be written now. */
export type ByteLane = {
  /** Bytes that the program has and the tape does not have yet. */
  readonly held: number
  push(bytes: Uint8Array, recorded?: Recorded): ScrubbedBytes
  /** The rest. `decoded`: the bytes are without their content encoding. */
  end(recorded?: Recorded): LaneEnd
}

type LaneEnd = {
  readonly chunks: readonly ScrubbedBytes[]
  readonly decoded: boolean
  /** The rest of the body could not be stored. */
  readonly withheld?: true
}

export function receivedFromWorld(scrubber: Scrubber): Received {
  return {
    text: (text) => scrubber.text(text, 'received'),
    value: (value) => scrubber.value(value, 'received'),
    bytes: (bytes) => scrubber.bytes(bytes, 'received'),
    headers: (headers) => scrubbedHeaders(headers, scrubber, 'received'),
    body: (contentType, contentEncoding) =>
      scrubber.body({ contentType, contentEncoding: contentEncoding || undefined }, 'received'),
    askedBody: (contentType, contentEncoding) =>
      scrubber.body(
        { contentType, contentEncoding: contentEncoding || undefined, isAsked: true },
        'received',
      ),
    stream: () => laneOf(scrubber.stream('received')),
    maskedStream: () => laneOf(scrubber.maskedStream('received')),
    get hits() {
      return scrubber.hits
    },
  }
}

/** A stream that passes the scrubber. */
export function laneOf(stream: StreamScrubber): ByteLane {
  return new StreamLane(stream)
}

class StreamLane implements ByteLane {
  readonly #stream: StreamScrubber

  constructor(stream: StreamScrubber) {
    this.#stream = stream
  }

  get held(): number {
    return this.#stream.held
  }

  push(bytes: Uint8Array): ScrubbedBytes {
    return this.#stream.push(bytes)
  }

  end(): LaneEnd {
    return { chunks: [this.#stream.end()], decoded: false }
  }
}

/** The scrubber keeps the numbers of the placeholders that come from the tape. */
export function receivedFromTape(scrubber: Scrubber): Received {
  const reserve = (text: string): void => {
    if (text.includes(PLACEHOLDER)) scrubber.reserve(text)
  }
  const reserveIn = (value: Json): void => {
    if (typeof value === 'string') reserve(value)
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) reserveIn(part)
  }
  return {
    text(text) {
      reserve(text)
      return fromDisk(text)
    },
    value(value) {
      reserveIn(value)
      return fromDisk<Json>(value)
    },
    bytes(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (buffer.includes(PLACEHOLDER)) scrubber.reserve(buffer.toString('latin1'))
      return fromDisk<Uint8Array>(bytes)
    },
    headers(headers) {
      for (const pair of headers) for (const text of pair) reserve(text)
      return fromDisk<HeaderPairs>(headers)
    },
    body: (_type, encoding) => new RecordedLane(encoding, reserve),
    askedBody: (_type, encoding) => new RecordedLane(encoding, reserve),
    stream: () => new RecordedLane('', reserve),
    maskedStream: () => new RecordedLane('', reserve),
    hits: 0,
  }
}

/**
 * For effects that a tape serves and that may go live: a delivery with a record is taken unchanged, any other
 * passes the scrubber.
 */
export function receivedFromBoth(taped: Received, world: Received, isLive: () => boolean): Received {
  const now = (): Received => (isLive() ? world : taped)
  const both = (fromTape: ByteLane, fromWorld: () => ByteLane): ByteLane => {
    let live: ByteLane | null = null
    return {
      get held() {
        return fromTape.held + (live?.held ?? 0)
      },
      push(bytes, recorded) {
        if (recorded !== undefined) return fromTape.push(bytes, recorded)
        live ??= fromWorld()
        return live.push(bytes)
      },
      end(recorded) {
        const first = fromTape.end(recorded)
        const rest = live?.end() ?? { chunks: [], decoded: false }
        return { chunks: [...first.chunks, ...rest.chunks], decoded: first.decoded }
      },
    }
  }
  return {
    text: (text) => now().text(text),
    value: (value) => now().value(value),
    bytes: (bytes) => now().bytes(bytes),
    headers: (headers) => now().headers(headers),
    body: (type, encoding) => both(taped.body(type, encoding), () => world.stream()),
    askedBody: (type, encoding) => both(taped.askedBody(type, encoding), () => world.stream()),
    stream: () => both(taped.stream(), () => world.stream()),
    maskedStream: () => both(taped.maskedStream(), () => world.maskedStream()),
    get hits() {
      return now().hits
    },
  }
}

const PLACEHOLDER = '<redacted:'
const LONGEST_PLACEHOLDER = 200

const NOTHING: Buffer = Buffer.alloc(0)

/** Splits the delivered bytes where the recording split them. */
class RecordedLane implements ByteLane {
  readonly #encoding: string
  readonly #reserve: (text: string) => void
  /** In pieces: a compressed body holds 16 MiB back, and joining them at each chunk would copy them each time. */
  #pending: Uint8Array[] = []
  /** Bytes that were written before they were delivered. */
  #ahead: Uint8Array = NOTHING
  /** The end of the bytes so far, which may be the beginning of a placeholder. */
  #cut = ''
  held = 0

  constructor(encoding: string, reserve: (text: string) => void) {
    this.#encoding = encoding
    this.#reserve = reserve
  }

  push(bytes: Uint8Array, recorded?: Recorded): ScrubbedBytes {
    const written = this.#push(bytes, recorded)
    this.#notePlaceholders(written)
    return written
  }

  #notePlaceholders(written: Uint8Array): void {
    const buffer = Buffer.from(written.buffer, written.byteOffset, written.byteLength)
    if (this.#cut === '' && !buffer.includes('<')) return
    const text = this.#cut + buffer.toString('latin1')
    this.#reserve(text)
    const last = text.lastIndexOf('<')
    this.#cut = last >= 0 && text.length - last < LONGEST_PLACEHOLDER ? text.slice(last) : ''
  }

  #push(bytes: Uint8Array, recorded?: Recorded): ScrubbedBytes {
    const given = this.#notYetWritten(withoutPadding(bytes, recorded))
    if (recorded?.isPart === true) {
      this.#hold(given)
      return fromDisk<Uint8Array>(NOTHING)
    }
    this.held = recorded?.held?.bytes ?? 0
    if (this.#pending.length === 0 && this.held === 0) return fromDisk<Uint8Array>(given)
    const ahead = (recorded?.ahead ?? NOTHING).subarray(this.#ahead.byteLength)
    this.#ahead = Buffer.concat([this.#ahead, ahead])
    if (recorded?.held?.written === 0) {
      this.#hold(given)
      this.#hold(ahead)
      return fromDisk<Uint8Array>(NOTHING)
    }
    const all = Buffer.concat([...this.#pending, given, ahead])
    const end = Math.min(all.length, recorded?.held?.written ?? all.length)
    this.#pending = end === all.length ? [] : [all.subarray(end)]
    return fromDisk<Uint8Array>(all.subarray(0, end))
  }

  /** A copy: the program may change the bytes that it got. */
  #hold(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.#pending.push(Buffer.from(bytes))
  }

  /** Without the bytes that were written ahead. Other bytes than those are written. */
  #notYetWritten(given: Uint8Array): Uint8Array {
    const length = Math.min(given.byteLength, this.#ahead.byteLength)
    if (length === 0) return given
    const isSame = Buffer.compare(given.subarray(0, length), this.#ahead.subarray(0, length)) === 0
    this.#ahead = isSame ? this.#ahead.subarray(length) : NOTHING
    return isSame ? given.subarray(length) : given
  }

  end(recorded?: Recorded): LaneEnd {
    const end = this.#end(recorded)
    for (const chunk of end.chunks) this.#notePlaceholders(chunk)
    return end
  }

  #end(recorded?: Recorded): LaneEnd {
    const rest = Buffer.concat(this.#pending)
    this.#pending = []
    this.held = 0
    if (recorded?.decoded !== undefined)
      return { chunks: [fromDisk<Uint8Array>(decode(rest, this.#encoding))], decoded: true }
    return { chunks: rest.length === 0 ? [] : [fromDisk<Uint8Array>(rest)], decoded: false }
  }
}

function withoutPadding(bytes: Uint8Array, recorded: Recorded | undefined): Uint8Array {
  const padding = recorded?.padding
  if (padding === undefined) return bytes
  return Buffer.concat([bytes.subarray(0, padding.start), bytes.subarray(padding.start + padding.length)])
}

/** The last encoding was applied last, and is removed first. */
function decode(bytes: Uint8Array, encoding: string): Uint8Array {
  const names = encoding.toLowerCase().split(',')
  return names.reduceRight((wrapped: Uint8Array, name) => {
    switch (name.trim()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(wrapped)
      case 'deflate':
        return inflateSync(wrapped)
      case 'br':
        return brotliDecompressSync(wrapped)
      default:
        return wrapped
    }
  }, bytes)
}
