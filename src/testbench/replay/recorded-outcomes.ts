/**
 * What a delivery of the tape hands to the program. Streams are cut where the world cut them, also where the scrubber held bytes back and wrote them
 * with a later record: those are looked up ahead.
 */
import type { Label } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { Answer, Outcome } from '../../boundaries/session.ts'
import type { HeaderPairs, Kind, RecordKind } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { type AnswerKind, answerOf } from '../records/answers.ts'
import type { Delivery } from '../records/delivered-kinds.ts'
import type { ReplayedTerminals } from '../terminal/replayed-terminals.ts'
import { withLengthOf } from './mended-length.ts'
import { encodedAgain, StreamReplay } from './stream-replay.ts'
import type { TapeCursor } from './tape-cursor.ts'

export type StreamPart = Kind<'stream_chunk' | 'stream_end'>

export type RecordedOutcomes = {
  outcomesOf(delivery: Delivery): Outcome[]
  /** The bytes of a stream that have not had their turn, to its end. */
  bodyAhead(effect: number): Uint8Array
  /** The program wants no more of this effect. */
  forget(effect: number): void
}

/** `partsAhead` gives the parts of a stream that have not had their turn. */
export function recordedOutcomes(
  payloads: TapePayloads,
  hasScrubbedStream: (effect: number) => boolean,
  partsAhead: (effect: number) => Iterable<StreamPart>,
  toAnswer: (kind: AnswerKind) => Answer = (kind) => answerOf(kind, payloads),
  terminals: Pick<ReplayedTerminals, 'bytesOf'> | null = null,
): RecordedOutcomes {
  const streams = new Map<number, Map<string, StreamReplay>>()

  const streamOf = (part: StreamPart): StreamReplay => {
    const { of } = part
    const stream: string = part.stream ?? ''
    const own = streams.get(of) ?? new Map<string, StreamReplay>()
    streams.set(of, own)
    const known = own.get(stream) ?? new StreamReplay(payloads, () => incoming(partsAhead(of), stream))
    own.set(stream, known)
    return known
  }

  const headOf = (kind: Kind<'http_exchange'>): Outcome => {
    const { status, statusText = '', httpVersion } = kind
    const headers = hasScrubbedStream(kind.id) ? withLengthOf(kind.responseHeaders, payloads, partsAhead(kind.id)) : kind.responseHeaders
    const head = { type: 'head', status: status ?? 0, statusText, headers } as const
    return httpVersion === undefined ? head : { ...head, httpVersion }
  }

  return {
    bodyAhead(effect) {
      const bytes: Uint8Array[] = []
      for (const part of partsAhead(effect)) {
        if (part.kind === 'stream_chunk') bytes.push(payloads(part.data))
        else return Buffer.concat(part.tail === undefined ? bytes : [...bytes, encodedAgain(part, payloads(part.tail))])
      }
      return Buffer.concat(bytes)
    },
    forget: (effect) => void streams.delete(effect),
    outcomesOf({ kind }) {
      switch (kind.kind) {
        case 'timer_fire':
          return [{ type: 'timer' }]
        case 'completion':
          return [{ type: 'completion' }]
        case 'http_exchange':
          if (kind.status === null) return [{ type: 'error', error: errorFactsOf(kind.error) }]
          return [headOf(kind)]
        case 'stream_chunk': {
          const bytes = streamOf(kind).chunk(kind)
          return [kind.stream === undefined ? { type: 'chunk', bytes } : { type: 'chunk', bytes, stream: kind.stream }]
        }
        case 'stream_end': {
          const rest = streamOf(kind).rest(kind)
          streams.get(kind.of)?.delete(kind.stream ?? '')
          const stream = kind.stream === undefined ? NO_STREAM : { stream: kind.stream }
          const last: Outcome =
            kind.error === null
              ? { type: 'end', trailers: kind.trailers ?? NO_HEADERS, ...stream }
              : { type: 'error', error: errorFactsOf(kind.error), ...stream }
          return rest.byteLength === 0 ? [last] : [{ type: 'chunk', bytes: rest, ...stream }, last]
        }
        case 'process_exit':
          return [{ type: 'exit', code: kind.code, signal: kind.signal }]
        case 'terminal_output':
          return [{ type: 'chunk', bytes: terminals?.bytesOf(kind) ?? new Uint8Array() }]
        case 'terminal_session':
          return [{ type: 'terminal_exit', exitCode: kind.exitCode ?? 0, signal: kind.signal ?? 0 }]
        default:
          return [toAnswer(kind)]
      }
    },
  }
}

const NO_STREAM: { readonly stream?: Label } = {}
const NO_HEADERS: HeaderPairs = []

/** The parts of one stream of an effect that are on their way to the program. */
function* incoming(parts: Iterable<StreamPart>, stream: string): Generator<StreamPart> {
  for (const part of parts) {
    if ((part.stream ?? '') === stream && (part.kind === 'stream_end' || part.direction === 'in')) yield part
  }
}

/** Parts of a stream that have not had their turn: those that were stepped over, then those that the tape has yet to come. */
export function* partsAhead(effect: number, skipped: readonly Delivery[], cursor: Pick<TapeCursor, 'lookAhead'>): Generator<StreamPart> {
  const isPart = (kind: RecordKind): kind is StreamPart => (kind.kind === 'stream_chunk' || kind.kind === 'stream_end') && kind.of === effect
  for (const { kind } of skipped) if (isPart(kind)) yield kind
  for (const { kind } of cursor.lookAhead()) if (isPart(kind)) yield kind
}
