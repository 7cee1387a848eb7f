/** One HTTP exchange as records: its head, the chunks of its body, its end; and back. */
import { decimalText, headerOf } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { ErrorFacts, HttpHead } from '../../boundaries/session.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import type { HeaderPairs, Kind, Payload, TapeRecord } from '../../tape/index.ts'
import type { DescribedRequest } from '../keys/request-key.ts'
import { jsonOf } from '../records/answers.ts'
import type { CallFollower, Ending } from '../records/call-follower.ts'
import type { Delivery, Recorded } from '../session/delivery.ts'
import type { EffectCode, Tools } from '../session/family.ts'
import type { Received } from '../session/received.ts'
import { StreamCode, StreamDecoder, type StreamPart, type Written } from '../session/stream-code.ts'
import { withLengthOf, withRecordedLength } from './mended-length.ts'

export type ExchangeOptions = {
  readonly id: number
  readonly request: DescribedRequest
  readonly received: Received
  /** Follows an exchange that is a call of a model, or carries MCP. */
  readonly call: CallFollower | null
}

export function exchangeEncoder(
  { id, request, received, call }: ExchangeOptions,
  { recorder, tape }: Tools,
): Omit<EffectCode, 'decode'> {
  // What a client of MCP receives may be written with other ids than it has on the tape.
  const shares = request.mcp === null && (tape === null || hasFeature(tape.header, 'sharedChunks'))
  let stream: StreamCode | null = null
  let encoding = ''
  let ended = false
  let unwrapped = false

  /** A body that is in `effect_start` is not written again. */
  const bodyOf = (): Scrubbed<Payload> | null => {
    if (request.stored !== null) return request.stored.payload
    return request.body === null || call?.request !== undefined
      ? null
      : recorder.payloadFromBytes(request.body)
  }

  const head = (outcome: HttpHead, recorded: Recorded | undefined): void => {
    const before = received.hits
    call?.answered(outcome.status, outcome.headers)
    encoding = headerOf(outcome.headers, 'content-encoding') ?? ''
    stream = new StreamCode(
      id,
      recorder,
      received,
      received.body(headerOf(outcome.headers, 'content-type'), encoding),
      encoding,
      shares,
    )
    const statusText = received.text(outcome.statusText)
    const responseHeaders = received.headers(
      recorded?.contentLength === undefined
        ? outcome.headers
        : withRecordedLength(outcome.headers, recorded.contentLength),
    )
    const { method, url, headers: requestHeaders } = request
    // Written out: this runs for every response, and destructuring would cost more than everything else here.
    const kind = {
      kind: 'http_exchange',
      id,
      method,
      url,
      requestHeaders,
      status: outcome.status,
      statusText,
      responseHeaders,
    } as const
    const requestBody = bodyOf()
    const version = outcome.httpVersion
    const isPlain = requestBody === null && version === undefined
    const whole = isPlain
      ? kind
      : {
          ...kind,
          ...(requestBody === null ? {} : { requestBody }),
          ...(version === undefined ? {} : { httpVersion: decimalText(version) }),
        }
    const { monotonicMs } = recorder.record(whole, recorded?.at.scrubbed ?? received.hits - before)
    call?.written?.(monotonicMs)
  }

  const failed = (error: ErrorFacts, recorded: Recorded | undefined): void => {
    const before = received.hits
    const facts = received.value(jsonOf(error))
    call?.answered(null, [])
    const { method, url, headers: requestHeaders } = request
    const kind = {
      kind: 'http_exchange',
      id,
      method,
      url,
      requestHeaders,
      status: null,
      responseHeaders: [],
      error: facts,
    } as const
    const requestBody = bodyOf()
    const { monotonicMs } = recorder.record(
      requestBody === null ? kind : { ...kind, requestBody },
      recorded?.at.scrubbed ?? received.hits - before,
    )
    call?.written?.(monotonicMs)
    endCall({ type: 'error', error: facts })
  }

  const follow = (written: Written | null): void => {
    if (written === null) return
    unwrapped = written.decoded
    if (written.bytes !== null) call?.bytes(written.bytes)
    call?.written?.(written.atMs)
  }

  const endCall = (ending: Ending): void => {
    if (ended) return
    ended = true
    call?.ended(ending, unwrapped ? '' : encoding)
  }

  const write = ({ outcome, recorded, together = false }: Delivery): void => {
    switch (outcome.type) {
      case 'head':
        head(outcome, recorded)
        return
      case 'chunk':
        stream ??= new StreamCode(id, recorder, received)
        follow(stream.chunk(outcome.bytes, together, recorded))
        return
      case 'end':
        follow((stream ?? new StreamCode(id, recorder, received)).end(outcome.trailers, together, recorded))
        endCall({ type: 'end' })
        return
      case 'error':
        if (stream === null) {
          failed(outcome.error, recorded)
          return
        }
        follow(stream.error(outcome.error, together, recorded))
        endCall({ type: 'error', error: received.value(jsonOf(outcome.error)) })
        return
      default:
        throw new Error(`an exchange has no ${outcome.type}`)
    }
  }

  return {
    get isHolding() {
      return stream !== null && stream.held > 0
    },
    started: (seq, atMs) => call?.started(seq, atMs),
    encode(delivery) {
      write(delivery)
      return null
    },
    abandon() {
      follow(stream?.abandon() ?? null)
      endCall({ type: 'abandoned' })
    },
  }
}

/** Reads the deliveries of one recorded exchange. */
export function exchangeDecoder(effect: number, { tape }: Tools): (record: TapeRecord) => Delivery[] {
  if (tape === null) return () => []
  function* ahead(): Generator<StreamPart> {
    for (const { kind } of tape?.ahead() ?? []) {
      if (kind.kind === 'stream_end' && kind.of === effect) yield kind
      if (kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'in') yield kind
    }
  }
  const stream = new StreamDecoder(tape.payloads, ahead)
  return (record) => {
    const { kind } = record
    switch (kind.kind) {
      case 'http_exchange':
        return [
          headOf(
            kind,
            record,
            tape.index.hasScrubbedStream(effect)
              ? (headers) => withLengthOf(headers, tape.payloads, ahead())
              : null,
          ),
        ]
      case 'stream_chunk':
      case 'stream_end':
        return stream.decode(record, kind)
      default:
        return []
    }
  }
}

function headOf(
  kind: Kind<'http_exchange'>,
  record: TapeRecord,
  mend: ((headers: HeaderPairs) => HeaderPairs) | null,
): Delivery {
  const at = record
  if (kind.status === null)
    return { outcome: { type: 'error', error: errorFactsOf(kind.error) }, recorded: { at } }
  const { status, statusText = '', httpVersion, responseHeaders } = kind
  const headers = mend === null ? responseHeaders : mend(responseHeaders)
  const length = headers === responseHeaders ? undefined : headerOf(responseHeaders, 'content-length')
  const head = { type: 'head', status, statusText, headers } as const
  return {
    outcome: httpVersion === undefined ? head : { ...head, httpVersion },
    recorded: length === undefined ? { at } : { at, contentLength: length },
  }
}
