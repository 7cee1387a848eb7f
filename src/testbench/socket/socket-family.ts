/**
 * Connections in any protocol, as a stream of bytes in each direction, above the encryption. The address is
 * the match key; connections to one address are matched in the order in which they were used first. What the
 * program sends is compared as concatenated scrubbed bytes.
 *
 * A `completion` is the moment at which a slow peer has taken what waited for it.
 *
 * Decision 0320.
 */
import { type Delivery, placeOf } from '../session/delivery.ts'
import type { EffectCode, EffectFamily, Origin, SessionFamily, TapeTools, Tools } from '../session/family.ts'
import { SentStream } from '../session/sent-stream.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'

export const socketFamily: EffectFamily = {
  name: 'socket',
  takes: ({ byteStream }) => byteStream === true,
  create: sockets,
}

function sockets(tools: Tools): SessionFamily {
  const { tape, scrubber } = tools
  const sent = new Set<SentStream>()
  return {
    describe(id, start) {
      const key = tape === null ? start.key : tape.moved(start.key)
      return {
        keys: [scrubber.text(key, 'sent')],
        open(origin) {
          const stream = new SentStream(id, key, origin.type === 'tape' ? origin.effect : null, tools)
          sent.add(stream)
          return socketCode(id, origin, tools, stream)
        },
      }
    },
    leftovers: () => [...sent].flatMap((stream) => stream.leftovers()),
  }
}

function socketCode(id: number, origin: Origin, tools: Tools, sent: SentStream): EffectCode {
  const { recorder } = tools
  const received = tools.received(origin)
  const incoming = new StreamCode(id, recorder, received, received.maskedStream())
  /** Whether the program has sent something that nothing answered yet. */
  let isRequested = false
  return {
    get isHolding() {
      return incoming.held > 0 || sent.held > 0
    },
    isBusy: () => isRequested,
    encode({ outcome, recorded, together = false }) {
      isRequested = false
      switch (outcome.type) {
        case 'chunk':
          incoming.chunk(outcome.bytes, together, recorded)
          return null
        case 'end':
          incoming.end(outcome.trailers, together, recorded)
          return null
        case 'error':
          incoming.error(outcome.error, together, recorded)
          return null
        case 'completion':
          recorder.record({ kind: 'completion', of: id })
          return null
        default:
          throw new Error(`a connection has no ${outcome.type}`)
      }
    },
    abandon() {
      incoming.abandon()
      sent.abandon()
    },
    sender: {
      send(bytes, isLogin) {
        isRequested = true
        return sent.send(bytes, isLogin)
      },
      sendEnd: () => sent.end(),
    },
    ...(origin.type === 'tape' ? fromTape(origin.effect, tools, sent) : {}),
  }
}

function fromTape(
  effect: number,
  { tape }: Tools,
  sent: SentStream,
): Pick<EffectCode, 'decode' | 'isBehind' | 'recordedSent'> {
  if (tape === null) return {}
  const decoder = new StreamDecoder(tape.payloads, () => partsOf(tape, effect))
  return {
    decode(record): readonly Delivery[] {
      const { kind } = record
      if (kind.kind === 'completion')
        return [{ outcome: { type: 'completion' }, recorded: { at: placeOf(record) } }]
      return kind.kind === 'stream_chunk' || kind.kind === 'stream_end' ? decoder.decode(record, kind) : []
    },
    isBehind: () => sent.isBehind(),
    recordedSent: (record) => sent.recordedSent(record),
  }
}

/** What comes in, without what the program sent. */
function* partsOf(tape: TapeTools, effect: number): Generator<StreamPart> {
  for (const { kind } of tape.ahead()) {
    if ((kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.of !== effect) continue
    if (kind.stream === undefined) yield kind
  }
}
