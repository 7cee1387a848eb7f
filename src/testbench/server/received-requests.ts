/**
 * What comes in over a connection to a server, as records and back: requests with their bodies, and bytes
 * that belong to no request. A request that came whole, and has no secret in its body, is one record.
 *
 * Decision 0401.
 */
import { decimalText, headerOf, label } from '../../base/index.ts'
import type { HeaderList, IncomingRequest, Outcome } from '../../boundaries/session.ts'
import { contentKind } from '../../scrub/content.ts'
import type { Scrubbed, ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import { concatScrubbed } from '../../scrub/scrubbed-parts.ts'
import type { HeaderPairs, Kind, TapeRecord } from '../../tape/index.ts'
import { withLengthOf, withRecordedLength } from '../http/mended-length.ts'
import { frameDecoder } from '../http2/received-frames.ts'
import type { Delivery, Recorded } from '../session/delivery.ts'
import type { Origin, TapeTools, Tools } from '../session/family.ts'
import type { Received } from '../session/received.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'
import { messageDelivery } from '../socket/received-messages.ts'
import { issuesSecrets, restoredRequest } from './issued-secrets.ts'
import { signedHeaders } from './signed-headers.ts'
import { joinWholeRequests } from './whole-requests.ts'

const SAME_TURN = label('same')

export class ReceivedRequests {
  readonly #id: number
  readonly #tools: Tools
  readonly #received: Received
  readonly #isFromTape: boolean
  /** The body of a request, or the bytes that belong to none. */
  #incoming: StreamCode | null = null

  constructor(id: number, origin: Origin, tools: Tools) {
    this.#id = id
    this.#tools = tools
    this.#received = tools.received(origin)
    this.#isFromTape = origin.type === 'tape'
  }

  get held(): number {
    return this.#incoming?.held ?? 0
  }

  /** False if the outcome is of another sort. */
  encode(outcome: Outcome, together: boolean, recorded: Recorded | undefined): boolean {
    switch (outcome.type) {
      case 'request':
        this.#request(outcome, together, recorded)
        return true
      case 'chunk':
        this.#stream().chunk(outcome.bytes, together, recorded)
        return true
      case 'end':
        this.#stream().end(outcome.trailers, together, recorded)
        this.#incoming = null
        return true
      case 'error':
        this.#stream().error(outcome.error, together, recorded)
        this.#incoming = null
        return true
      default:
        return false
    }
  }

  abandon(): void {
    this.#incoming?.abandon()
  }

  #request(request: IncomingRequest, together: boolean, recorded: Recorded | undefined): void {
    const { body } = request
    const whole = body === undefined ? null : this.#wholeBody(request.headers, body, recorded)
    this.#head(request, together, recorded, whole)
    if (body === undefined || whole !== null) return
    if (body.byteLength > 0) this.#stream().chunk(body, true, recorded)
    this.#stream().end([], true, recorded)
    this.#incoming = null
  }

  #head(
    request: IncomingRequest,
    together: boolean,
    recorded: Recorded | undefined,
    body: ScrubbedBytes | null,
  ): void {
    const { recorder, scrubber } = this.#tools
    const before = scrubber.hits
    const signed = this.#signed(request.headers, recorded)
    const asked = this.#asked(request, withRecordedLength(request.headers, recorded?.contentLength), body)
    const { httpVersion } = request
    const isPlain = httpVersion === undefined && !together && signed === null
    const kind = isPlain
      ? asked
      : {
          ...asked,
          ...(httpVersion === undefined ? {} : { httpVersion: decimalText(httpVersion) }),
          ...(together ? { turn: SAME_TURN } : {}),
          ...(signed === null ? {} : { signed }),
        }
    recorder.record(kind, recorded?.at.scrubbed ?? scrubber.hits - before)
    // As the tape has them: the program may compute one of these values from a secret.
    if (!this.#isFromTape) this.#tools.derived().receivedHeaders(kind.headers)
    if (body !== null) return
    const encoding = headerOf(request.headers, 'content-encoding') ?? ''
    const lane = this.#received.askedBody(headerOf(request.headers, 'content-type'), encoding)
    this.#incoming = new StreamCode(this.#id, recorder, this.#received, lane, encoding)
  }

  #asked(
    { method, target }: IncomingRequest,
    headers: HeaderList,
    body: ScrubbedBytes | null,
  ): Scrubbed<Kind<'server_request'>> {
    const { recorder, scrubber } = this.#tools
    const received = this.#received
    const of = this.#id
    const isFromTape = this.#isFromTape
    const asked = {
      kind: 'server_request',
      of,
      method: isFromTape ? received.text(method) : scrubber.text(method, 'sent'),
      target: isFromTape ? received.text(target) : scrubber.url(target),
      headers: isFromTape
        ? received.headers(headers)
        : scrubber.asked(() => scrubbedHeaders(headers, scrubber, 'asked')),
    } as const
    if (body === null) return asked
    // Written out: an object that is put together of parts costs more than all else here.
    return {
      kind: 'server_request',
      of,
      method: asked.method,
      target: asked.target,
      headers: asked.headers,
      body: recorder.chunkFromBytes(body),
    }
  }

  #signed(headers: HeaderList, recorded: Recorded | undefined): Scrubbed<HeaderPairs> | null {
    if (!this.#isFromTape) return signedHeaders(headers, this.#tools)
    return recorded?.signed === undefined ? null : this.#received.headers(recorded.signed)
  }

  /** Null if the body must have records of its own: something in it was replaced, or it is compressed. */
  #wholeBody(headers: HeaderList, body: Uint8Array, recorded: Recorded | undefined): ScrubbedBytes | null {
    const received = this.#received
    if (recorded !== undefined || body.byteLength === 0) return received.bytes(body)
    if (headerOf(headers, 'content-encoding') !== undefined) return null
    const before = received.hits
    const type = headerOf(headers, 'content-type')
    // Nothing follows it, so it need not be decided whether its end may begin a secret.
    if (contentKind(type) === 'other' && !this.#tools.scrubber.mayHold(body, 'received'))
      return received.bytes(body)
    const lane = received.askedBody(type, '')
    const first = lane.push(body)
    const clean = concatScrubbed([first, ...lane.end().chunks])
    return received.hits === before && Buffer.from(body).equals(clean) ? clean : null
  }

  #stream(): StreamCode {
    // Bytes of another protocol, or after an upgrade: they may count the bytes of a secret.
    this.#incoming ??= new StreamCode(
      this.#id,
      this.#tools.recorder,
      this.#received,
      this.#received.maskedStream(),
    )
    return this.#incoming
  }
}

/** Reads the deliveries of one recorded connection. */
export function connectionDecoder(
  effect: number,
  tape: TapeTools,
  scrubber: Scrubber,
): (record: TapeRecord) => readonly Delivery[] {
  function* ahead(): Generator<StreamPart> {
    for (const { kind } of tape.ahead()) {
      if (kind.kind === 'server_request' && kind.of === effect) return
      if (kind.kind === 'stream_end' && kind.of === effect && kind.stream === undefined) yield kind
      if (kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'in') yield kind
    }
  }
  const frames = frameDecoder(effect, tape)
  const newStream = (): StreamDecoder => new StreamDecoder(tape.payloads, ahead)
  let stream = newStream()
  const decode = (record: TapeRecord): readonly Delivery[] => {
    const { kind } = record
    switch (kind.kind) {
      case 'server_request':
        stream = newStream()
        return [withIssued(requestDelivery(record, kind, effect, tape, ahead), tape, scrubber)]
      case 'http2_frame':
        return frames(record, kind)
      case 'completion':
        return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
      case 'ws_message':
        return [messageDelivery(record, kind, tape.payloads)]
      case 'stream_chunk':
        return stream.decode(record, kind)
      case 'stream_end': {
        const deliveries = stream.decode(record, kind)
        stream = newStream()
        return deliveries
      }
      default:
        return []
    }
  }
  return joinWholeRequests(decode, () => tape.ahead())
}

function requestDelivery(
  at: TapeRecord,
  kind: Kind<'server_request'>,
  effect: number,
  tape: TapeTools,
  ahead: () => Iterable<StreamPart>,
): Delivery {
  const { method, target, httpVersion, signed } = kind
  // The bytes of the record itself are not delivered: the program may write into them.
  const body = kind.body === undefined ? null : tape.payloads(kind.body).slice()
  const headers = mendedHeaders(kind, body, () =>
    tape.index.hasScrubbedStream(effect) ? withLengthOf(kind.headers, tape.payloads, ahead()) : kind.headers,
  )
  const length = headers === kind.headers ? undefined : headerOf(kind.headers, 'content-length')
  return {
    outcome: {
      type: 'request',
      method,
      target,
      headers,
      ...(httpVersion === undefined ? {} : { httpVersion }),
      ...(body === null ? {} : { body }),
    },
    recorded: {
      at,
      ...(length === undefined ? {} : { contentLength: length }),
      ...(signed === undefined ? {} : { signed }),
    },
    together: kind.turn === 'same',
  }
}

/** The tape has placeholders, and the program gets what it has issued in this run. */
function withIssued(delivery: Delivery, tape: TapeTools, scrubber: Scrubber): Delivery {
  const { outcome, recorded } = delivery
  if (outcome.type !== 'request' || !issuesSecrets(tape)) return delivery
  const restored = restoredRequest(outcome, recorded?.signed ?? [], scrubber)
  return restored === null ? delivery : { ...delivery, given: [restored] }
}

/** A secret may have been replaced in a whole body too, by `reprise scrub`. */
function mendedHeaders(
  { headers }: Kind<'server_request'>,
  body: Uint8Array | null,
  otherwise: () => HeaderList,
): HeaderList {
  if (body === null) return otherwise()
  const declared = headerOf(headers, 'content-length')
  if (declared === undefined || Number(declared) === body.byteLength) return headers
  return withRecordedLength(headers, String(body.byteLength))
}
