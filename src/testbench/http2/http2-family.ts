/**
 * Connections of an HTTP/2 client: one effect for each, with the frames of both directions. The address is
 * the match key; connections to one address are matched in the order of their first use.
 *
 * A `completion` is the moment at which a slow peer has read the waiting bytes. Bytes that are no frame stay
 * bytes.
 *
 * Decision 0370.
 */
import { createStreamCalls, type StreamCalls } from '../llm/stream-calls.ts'
import { jsonOf } from '../records/answers.ts'
import type { Delivery } from '../session/delivery.ts'
import type { EffectCode, EffectFamily, Origin, SessionFamily, Tools } from '../session/family.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'
import { frameDecoder, ReceivedFrames } from './received-frames.ts'
import { SentFrames } from './sent-frames.ts'

export const http2Family: EffectFamily = {
  name: 'http2',
  takes: ({ http2 }) => http2 === true,
  create: connections,
}

/** The peer has closed the connection in the middle of a stream. */
const CLOSED = { name: 'Error', message: 'the connection was closed' }

function connections(tools: Tools): SessionFamily {
  const { tape, scrubber } = tools
  const sent = new Set<SentFrames>()
  const callsOf = createStreamCalls(tools.recorder, scrubber)
  return {
    describe(id, start) {
      const key = tape === null ? start.key : tape.moved(start.key)
      return {
        keys: [scrubber.text(key, 'sent')],
        open(origin) {
          const calls = callsOf(id)
          const effect = origin.type === 'tape' ? origin.effect : null
          const frames = new SentFrames(id, key, 'client', effect, tools, calls)
          sent.add(frames)
          return connectionCode(id, origin, tools, frames, calls)
        },
      }
    },
    leftovers: () => [...sent].flatMap((frames) => frames.leftovers()),
  }
}

function connectionCode(
  id: number,
  origin: Origin,
  tools: Tools,
  sent: SentFrames,
  calls: StreamCalls,
): EffectCode {
  const { recorder } = tools
  const received = tools.received(origin)
  const incoming = new ReceivedFrames(id, 'client', origin, tools, calls)
  const bytes = new StreamCode(id, recorder, received, received.maskedStream())
  /** Streams that the program has opened and the peer has not ended. */
  const open = new Set<number>()
  return {
    get isHolding() {
      return incoming.held > 0 || bytes.held > 0 || sent.isHolding
    },
    isBusy: () => open.size > 0,
    encode({ outcome, recorded, together = false }) {
      sent.writeRecorded()
      switch (outcome.type) {
        case 'http2': {
          const { frame } = outcome
          if ((frame.frame === 'headers' || frame.frame === 'data') && frame.ends) open.delete(frame.stream)
          if (frame.frame === 'reset') open.delete(frame.stream)
          incoming.encode(frame, together, recorded)
          break
        }
        case 'chunk':
          bytes.chunk(outcome.bytes, together, recorded)
          break
        case 'end':
          open.clear()
          bytes.end(outcome.trailers, together, recorded)
          incoming.end()
          calls.allEnded({ type: 'error', error: CLOSED })
          break
        case 'error':
          open.clear()
          bytes.error(outcome.error, together, recorded)
          incoming.end()
          calls.allEnded({ type: 'error', error: jsonOf(outcome.error) })
          break
        case 'completion':
          recorder.record({ kind: 'completion', of: id })
          break
        default:
          throw new Error(`a connection of HTTP/2 has no ${outcome.type}`)
      }
      sent.writeRecorded()
      return null
    },
    abandon() {
      bytes.abandon()
      incoming.end()
      sent.abandon()
      calls.allEnded({ type: 'abandoned' })
    },
    frames: {
      send(frame) {
        if (frame.frame === 'headers') open.add(frame.stream)
        if (frame.frame === 'reset') open.delete(frame.stream)
        return sent.send(frame)
      },
    },
    ...(origin.type === 'tape' ? fromTape(origin.effect, tools, sent) : {}),
  }
}

function fromTape(
  effect: number,
  { tape }: Tools,
  sent: SentFrames,
): Pick<EffectCode, 'decode' | 'isBehind' | 'recordedSent'> {
  if (tape === null) return {}
  function* ahead(): Generator<StreamPart> {
    for (const { kind } of tape?.ahead() ?? [])
      if ((kind.kind === 'stream_chunk' || kind.kind === 'stream_end') && kind.of === effect) yield kind
  }
  const bytes = new StreamDecoder(tape.payloads, ahead)
  const frames = frameDecoder(effect, tape)
  return {
    decode(record): readonly Delivery[] {
      const { kind } = record
      switch (kind.kind) {
        case 'http2_frame':
          return frames(record, kind)
        case 'stream_chunk':
        case 'stream_end':
          return bytes.decode(record, kind)
        case 'completion':
          return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
        default:
          return []
      }
    },
    isBehind: () => sent.isBehind(),
    recordedSent: (record) => sent.recordedSent(record),
  }
}
