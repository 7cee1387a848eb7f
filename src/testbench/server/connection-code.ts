/**
 * One connection to a server of the program, as records and back. What comes in: requests with their bodies,
 * and bytes that belong to no request. What the program answers: one record for each answer, written when it
 * is whole; other bytes as chunks. The second recording has what this run answered, and the judge compares.
 *
 * Decision 0325.
 */
import { decimalText, headerOf, label, utf8 } from '../../base/index.ts'
import type { HttpHead, IncomingRequest, ServedSide } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedBytes, StreamScrubber } from '../../scrub/index.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import {
  concatScrubbed,
  noScrubbedBytes,
  scrubbedText,
  sliceScrubbedBytes,
} from '../../scrub/scrubbed-parts.ts'
import type { BodyScrubber } from '../../scrub/scrubber.ts'
import {
  type HeaderPairs,
  type Kind,
  type Payload,
  type PayloadStream,
  payloadLength,
  type TapeRecord,
} from '../../tape/index.ts'
import { withLengthOf, withRecordedLength } from '../http/mended-length.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import { sentDivergence } from '../records/sent-content.ts'
import { type Delivery, placeOf, type Recorded } from '../session/delivery.ts'
import type { EffectCode, Origin, Tools } from '../session/family.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'

const OUT = label('out')
const BY_PROGRAM = label('program')
const CUT = label('cut')
const SAME_TURN = label('same')

export type ConnectionCode = Required<
  Pick<EffectCode, 'isHolding' | 'encode' | 'decode' | 'isBehind' | 'served' | 'abandon'>
>

/** An answer that is being sent. */
type Answer = {
  readonly head: HttpHead
  readonly lane: BodyScrubber
  readonly body: PayloadStream
  /** Secrets that were replaced in the body so far. */
  hits: number
}

export function connectionCode(id: number, key: string, origin: Origin, tools: Tools): ConnectionCode {
  const { recorder, scrubber, tape } = tools
  const received = tools.received(origin)
  const effect = origin.type === 'tape' ? origin.effect : null
  /** The body of a request, or the bytes that belong to none. */
  let incoming: StreamCode | null = null
  let answer: Answer | null = null
  let sent: StreamScrubber | null = null
  /** Of a replay: what was sent and has no record yet. */
  let unwritten: ScrubbedBytes = noScrubbedBytes
  let n = 0
  let isOver = false

  const writeRequest = (
    request: IncomingRequest,
    together: boolean,
    recorded: Recorded | undefined,
  ): void => {
    const before = scrubber.hits
    const { httpVersion } = request
    const headers = withRecordedLength(request.headers, recorded)
    const kind = {
      kind: 'server_request',
      of: id,
      ...(effect === null
        ? {
            method: scrubber.text(request.method, 'sent'),
            target: scrubber.url(request.target),
            headers: scrubbedHeaders(headers, scrubber, 'sent'),
          }
        : {
            method: received.text(request.method),
            target: received.text(request.target),
            headers: received.headers(headers),
          }),
      ...(httpVersion === undefined ? {} : { httpVersion: decimalText(httpVersion) }),
      ...(together ? { turn: SAME_TURN } : {}),
    } as const
    recorder.record(kind, recorded?.at.scrubbed ?? scrubber.hits - before)
    const encoding = headerOf(request.headers, 'content-encoding') ?? ''
    const lane = received.body(headerOf(request.headers, 'content-type'), encoding)
    incoming = new StreamCode(id, recorder, received, lane, encoding)
  }

  const streamIn = (): StreamCode => {
    incoming ??= new StreamCode(id, recorder, received)
    return incoming
  }

  const writeAnswer = (trailers: HeaderPairs, isWhole: boolean): void => {
    if (answer === null) return
    const { head, lane, body, hits } = answer
    answer = null
    const before = scrubber.hits - hits
    for (const chunk of lane.end().chunks) body.add(chunk)
    const payload = body.end()
    const length = payloadLength(payload)
    const isMended = isWhole && scrubber.hits > before
    const headers = scrubbedHeaders(head.headers, scrubber, 'sent')
    const kind = {
      kind: 'server_answer',
      of: id,
      status: head.status,
      statusText: scrubber.text(head.statusText, 'sent'),
      headers: isMended ? withLength(headers, length) : headers,
      ...(length === 0 ? {} : { body: payload }),
      ...(trailers.length === 0 ? {} : { trailers: scrubbedHeaders(trailers, scrubber, 'sent') }),
      ...(isWhole ? {} : { ended: CUT }),
    } as const
    compareBody(payload)
    recorder.record(kind, scrubber.hits - before)
  }

  /** The judge shows two hashes for two bodies; this shows where they differ. */
  const compareBody = (payload: Payload): void => {
    const next = tape?.next((kind) => kind.kind === 'server_answer' && kind.of === effect) ?? null
    if (tape === null || next === null || next.kind.kind !== 'server_answer') return
    const { body } = next.kind
    if (body?.form !== 'inline' || payload.form !== 'inline') return
    const divergence = sentDivergence(next.seq, utf8(body.text), utf8(payload.text), `the answer over ${key}`)
    if (divergence !== null) tools.diverge(divergence)
  }

  const writeSent = (bytes: ScrubbedBytes, held: number, before: number): void => {
    const data = recorder.chunkFromBytes(bytes)
    const kind: Scrubbed<Kind<'stream_chunk'>> = {
      kind: 'stream_chunk',
      of: id,
      n,
      direction: 'out',
      data,
      ...(held === 0 ? {} : { held }),
      stream: OUT,
    }
    n += 1
    recorder.record(kind, scrubber.hits - before)
  }

  /** The next recorded piece of what was sent, if it comes before the next delivery. */
  const nextCut = (): { readonly length: number; readonly held: number } | null => {
    const next =
      tape?.next((kind) => kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'out') ??
      null
    if (next === null || next.kind.kind !== 'stream_chunk') return null
    return { length: chunkBytes(next.kind.data), held: next.kind.held ?? 0 }
  }

  /** Writes what was sent in the pieces of the recording: only the bytes count, not how they are cut. */
  const writeCuts = (isLast: boolean): void => {
    const before = scrubber.hits
    for (let cut = nextCut(); cut !== null; cut = nextCut()) {
      if (cut.length > unwritten.byteLength) break
      const { length, held } = cut
      writeSent(sliceScrubbedBytes(unwritten, 0, length), held, before)
      unwritten = sliceScrubbedBytes(unwritten, length)
    }
    if (!isLast || unwritten.byteLength === 0) return
    writeSent(unwritten, 0, before)
    unwritten = noScrubbedBytes
  }

  const send = (bytes: Uint8Array): void => {
    const before = scrubber.hits
    sent ??= scrubber.stream('sent')
    const clean = sent.push(bytes)
    if (effect === null) writeSent(clean, sent.held, before)
    else {
      unwritten = concatScrubbed([unwritten, clean])
      writeCuts(false)
    }
  }

  const endSent = (): void => {
    const before = scrubber.hits
    const rest = sent?.end() ?? noScrubbedBytes
    sent = null
    unwritten = concatScrubbed([unwritten, rest])
    if (effect !== null) writeCuts(false)
    const tail = unwritten
    unwritten = noScrubbedBytes
    recorder.record(
      {
        kind: 'stream_end',
        of: id,
        error: null,
        ...(tail.byteLength === 0 ? {} : { tail: recorder.chunkFromBytes(tail) }),
        closedBy: BY_PROGRAM,
        stream: OUT,
      },
      scrubber.hits - before,
    )
  }

  const served: ServedSide = {
    answer(head) {
      const contentType = headerOf(head.headers, 'content-type')
      const contentEncoding = headerOf(head.headers, 'content-encoding')
      const lane = scrubber.body({ contentType, contentEncoding }, 'sent')
      answer = { head, lane, body: recorder.payloadStream(), hits: 0 }
    },
    answerBody(bytes) {
      if (answer === null) return
      const before = scrubber.hits
      answer.body.add(answer.lane.push(bytes))
      answer.hits += scrubber.hits - before
    },
    answerEnd: writeAnswer,
    send,
    sendEnd: endSent,
  }

  return {
    get isHolding() {
      return (incoming?.held ?? 0) > 0
    },
    served,
    encode({ outcome, recorded, together = false }) {
      if (effect !== null) writeCuts(true)
      switch (outcome.type) {
        case 'request':
          writeRequest(outcome, together, recorded)
          return null
        case 'chunk':
          streamIn().chunk(outcome.bytes, together, recorded)
          return null
        case 'end':
          streamIn().end(outcome.trailers, together, recorded)
          incoming = null
          return null
        case 'error':
          streamIn().error(outcome.error, together, recorded)
          incoming = null
          return null
        default:
          throw new Error(`a connection to a server has no ${outcome.type}`)
      }
    },
    decode: effect === null ? () => [] : connectionDecoder(effect, tools),
    isBehind: () => tape !== null && effect !== null && tape.next((kind) => isSentBy(kind, effect)) !== null,
    abandon() {
      if (isOver) return
      isOver = true
      incoming?.abandon()
      writeAnswer([], false)
      if (effect !== null) writeCuts(true)
      if (sent !== null && sent.held > 0) endSent()
    },
  }
}

/** Reads the deliveries of one recorded connection. */
function connectionDecoder(effect: number, { tape }: Tools): (record: TapeRecord) => Delivery[] {
  if (tape === null) return () => []
  function* ahead(): Generator<StreamPart> {
    for (const { kind } of tape?.ahead() ?? []) {
      if (kind.kind === 'server_request' && kind.of === effect) return
      if (kind.kind === 'stream_end' && kind.of === effect && kind.stream === undefined) yield kind
      if (kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'in') yield kind
    }
  }
  const newStream = (): StreamDecoder => new StreamDecoder(tape.payloads, ahead)
  let stream = newStream()
  return (record) => {
    const { kind } = record
    switch (kind.kind) {
      case 'server_request': {
        stream = newStream()
        const { method, target, httpVersion } = kind
        const mended = tape.index.hasScrubbedStream(effect)
          ? withLengthOf(kind.headers, tape.payloads, ahead())
          : kind.headers
        const length = mended === kind.headers ? undefined : headerOf(kind.headers, 'content-length')
        const request = { type: 'request', method, target, headers: mended } as const
        const at = placeOf(record)
        return [
          {
            outcome: httpVersion === undefined ? request : { ...request, httpVersion },
            recorded: length === undefined ? { at } : { at, contentLength: length },
            together: kind.turn === 'same',
          },
        ]
      }
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
}

/** What the program sent over the connection. */
function isSentBy(kind: TapeRecord['kind'], effect: number): boolean {
  if (kind.kind === 'server_answer') return kind.of === effect
  return kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'out'
}

/** The length of the scrubbed body: with that of the real one, the length of a secret could be computed. */
function withLength(headers: Scrubbed<HeaderPairs>, length: number): Scrubbed<HeaderPairs> {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-length' ? ([name, scrubbedText`${length}`] as const) : [name, value],
  )
}
