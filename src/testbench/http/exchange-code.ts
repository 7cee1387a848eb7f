/** One HTTP exchange as records: its head, the chunks of its body, its end; and back. */
import { decimalText, headerOf } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { ErrorFacts, HttpHead } from '../../boundaries/session.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import type { HeaderPairs, Kind, Payload, TapeRecord, TapeRecorder } from '../../tape/index.ts'
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

/** A class: one is made for each exchange, and V8 takes 1 to 10 µs for an object literal with a getter. */
export class ExchangeCode implements EffectCode {
  readonly #id: number
  readonly #request: DescribedRequest
  readonly #received: Received
  readonly #call: CallFollower | null
  readonly #recorder: TapeRecorder
  readonly #shares: boolean
  readonly #forget: (() => void) | undefined
  #stream: StreamCode | null = null
  #encoding = ''
  #ended = false
  #unwrapped = false
  readonly decode?: NonNullable<EffectCode['decode']>

  /** `decode`: of an exchange that a tape serves. `forget` is called when the program wants no more of it. */
  constructor(
    { id, request, received, call }: ExchangeOptions,
    { recorder, tape }: Tools,
    decode?: NonNullable<EffectCode['decode']>,
    forget?: () => void,
  ) {
    this.#id = id
    this.#request = request
    this.#received = received
    this.#call = call
    this.#recorder = recorder
    // What a client of MCP receives may be written with other ids than it has on the tape.
    this.#shares = request.mcp === null && (tape === null || hasFeature(tape.header, 'sharedChunks'))
    this.#forget = forget
    if (decode !== undefined) this.decode = decode
  }

  get isHolding(): boolean {
    return this.#stream !== null && this.#stream.held > 0
  }

  started(seq: number, atMs: number): void {
    this.#call?.started(seq, atMs)
  }

  encode({ outcome, recorded, together = false }: Delivery): null {
    switch (outcome.type) {
      case 'head':
        this.#head(outcome, recorded)
        return null
      case 'chunk':
        this.#follow(this.#body().chunk(outcome.bytes, together, recorded))
        return null
      case 'end':
        this.#follow(this.#body().end(outcome.trailers, together, recorded))
        this.#endCall({ type: 'end' })
        return null
      case 'error':
        if (this.#stream === null) {
          this.#failed(outcome.error, recorded)
          return null
        }
        this.#follow(this.#stream.error(outcome.error, together, recorded))
        this.#endCall({ type: 'error', error: this.#received.value(jsonOf(outcome.error)) })
        return null
      default:
        throw new Error(`an exchange has no ${outcome.type}`)
    }
  }

  abandon(): void {
    this.#follow(this.#stream?.abandon() ?? null)
    this.#endCall({ type: 'abandoned' })
    this.#forget?.()
  }

  #body(): StreamCode {
    this.#stream ??= new StreamCode(this.#id, this.#recorder, this.#received)
    return this.#stream
  }

  #head(outcome: HttpHead, recorded: Recorded | undefined): void {
    const id = this.#id
    const received = this.#received
    const before = received.hits
    this.#call?.answered(outcome.status, outcome.headers)
    const encoding = headerOf(outcome.headers, 'content-encoding') ?? ''
    this.#encoding = encoding
    this.#stream = new StreamCode(
      id,
      this.#recorder,
      received,
      received.body(headerOf(outcome.headers, 'content-type'), encoding),
      encoding,
      this.#shares,
    )
    const statusText = received.text(outcome.statusText)
    const responseHeaders = received.headers(
      recorded?.contentLength === undefined
        ? outcome.headers
        : withRecordedLength(outcome.headers, recorded.contentLength),
    )
    const { method, url, headers: requestHeaders } = this.#request
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
    const requestBody = this.#requestBody()
    const version = outcome.httpVersion
    const isPlain = requestBody === null && version === undefined
    const whole = isPlain
      ? kind
      : {
          ...kind,
          ...(requestBody === null ? {} : { requestBody }),
          ...(version === undefined ? {} : { httpVersion: decimalText(version) }),
        }
    const { monotonicMs } = this.#recorder.record(whole, recorded?.at.scrubbed ?? received.hits - before)
    this.#call?.written?.(monotonicMs)
  }

  #failed(error: ErrorFacts, recorded: Recorded | undefined): void {
    const before = this.#received.hits
    const facts = this.#received.value(jsonOf(error))
    this.#call?.answered(null, [])
    const { method, url, headers: requestHeaders } = this.#request
    const kind = {
      kind: 'http_exchange',
      id: this.#id,
      method,
      url,
      requestHeaders,
      status: null,
      responseHeaders: [],
      error: facts,
    } as const
    const requestBody = this.#requestBody()
    const { monotonicMs } = this.#recorder.record(
      requestBody === null ? kind : { ...kind, requestBody },
      recorded?.at.scrubbed ?? this.#received.hits - before,
    )
    this.#call?.written?.(monotonicMs)
    this.#endCall({ type: 'error', error: facts })
  }

  /** A body that is in `effect_start` is not written again. */
  #requestBody(): Scrubbed<Payload> | null {
    const { stored, body } = this.#request
    if (stored !== null) return stored.payload
    return body === null || this.#call?.request !== undefined ? null : this.#recorder.payloadFromBytes(body)
  }

  #follow(written: Written | null): void {
    if (written === null) return
    this.#unwrapped = written.decoded
    if (this.#call === null) return
    if (written.bytes !== null) this.#call.bytes(written.bytes)
    this.#call.written?.(written.atMs)
  }

  #endCall(ending: Ending): void {
    if (this.#ended) return
    this.#ended = true
    this.#call?.ended(ending, this.#unwrapped ? '' : this.#encoding)
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
