/**
 * Connections in any protocol, as a stream of bytes in each direction, above the encryption. The address is
 * the match key; connections to one address are matched in the order of their first use. What the program
 * sends is compared as concatenated scrubbed bytes.
 *
 * A connection that becomes a WebSocket has messages from there on, each whole and uncompressed. An annotator
 * follows calls of a model among them.
 *
 * A `completion` is the moment at which a slow peer has read the waiting bytes.
 *
 * Decision 0320.
 */
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import { hasFeature } from '../../tape/features.ts'
import { createSocketCalls, type SocketCalls } from '../llm/socket-calls.ts'
import { jsonOf } from '../records/answers.ts'
import type { Delivery } from '../session/delivery.ts'
import type { EffectCode, EffectFamily, Origin, SessionFamily, TapeTools, Tools } from '../session/family.ts'
import { SentStream } from '../session/sent-stream.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'
import { messageDelivery, ReceivedMessages } from './received-messages.ts'
import { SentMessages } from './sent-messages.ts'

export const socketFamily: EffectFamily = {
  name: 'socket',
  takes: ({ byteStream }) => byteStream === true,
  create: sockets,
}

function sockets(tools: Tools): SessionFamily {
  const { tape, scrubber } = tools
  const sent = new Set<Sent>()
  const callsOf = createSocketCalls(tools.recorder, scrubber)
  return {
    describe(id, start) {
      const key = tape === null ? start.key : tape.moved(start.key)
      return {
        keys: [scrubbedKey(key, scrubber)],
        open(origin) {
          const isFromTape = origin.type === 'tape'
          const hasCalls = !isFromTape || tape === null || hasFeature(tape.header, 'socketCalls')
          const calls = hasCalls && key.startsWith(WEB_SOCKET) ? callsOf(id, key.split(' ')[1] ?? '') : null
          const isMqtt = isMqttKey(key) && (!isFromTape || hasFeature(tape?.header ?? {}, 'mqttPackets'))
          const own = {
            bytes: new SentStream(id, key, isFromTape ? origin.effect : null, tools),
            messages: new SentMessages(id, key, isFromTape, tools, { calls, isMqtt }),
          }
          sent.add(own)
          return socketCode(id, origin, tools, own, calls)
        },
      }
    },
    leftovers: () =>
      [...sent].flatMap(({ bytes, messages }) => [...bytes.leftovers(), ...messages.leftovers()]),
  }
}

const WEB_SOCKET = 'websocket '

/** The sub-protocols that the program asks for come after the address. */
function isMqttKey(key: string): boolean {
  return key.startsWith(WEB_SOCKET) && (key.split(' ')[2] ?? '').split(',').some((name) => MQTT.test(name))
}

const MQTT = /^\s*mqtt/i

/** Tokens in the address of a WebSocket are secrets. */
function scrubbedKey(key: string, scrubber: Scrubber): ScrubbedText {
  if (!key.startsWith(WEB_SOCKET)) return scrubber.text(key, 'sent')
  const [url = '', ...protocols] = key.slice(WEB_SOCKET.length).split(' ')
  const address = scrubber.url(url)
  if (protocols.length === 0) return scrubbedText`websocket ${address}`
  return scrubbedText`websocket ${address} ${scrubber.text(protocols.join(' '), 'sent')}`
}

/** What the program sends: bytes, and messages once the connection is a WebSocket. */
type Sent = { readonly bytes: SentStream; readonly messages: SentMessages }

function socketCode(
  id: number,
  origin: Origin,
  tools: Tools,
  sent: Sent,
  calls: SocketCalls | null,
): EffectCode {
  const { recorder } = tools
  const received = tools.received(origin)
  const incoming = new StreamCode(id, recorder, received, received.maskedStream())
  /** Whether the program has sent something that is not answered yet. */
  let isRequested = false
  const messages = new ReceivedMessages(id, recorder, received)

  return {
    get isHolding() {
      return incoming.held > 0 || sent.bytes.held > 0 || sent.messages.isHolding
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
          calls?.ended({ type: 'end' })
          return null
        case 'error':
          incoming.error(outcome.error, together, recorded)
          calls?.ended({ type: 'error', error: received.value(jsonOf(outcome.error)) })
          return null
        case 'ws_message': {
          const data = messages.encode(outcome, recorded)
          if (outcome.message === 'text') calls?.received(data)
          else if (outcome.message === 'close') calls?.ended({ type: 'end' })
          return null
        }
        case 'completion':
          recorder.record({ kind: 'completion', of: id })
          return null
        default:
          throw new Error(`a connection has no ${outcome.type}`)
      }
    },
    abandon() {
      incoming.abandon()
      sent.bytes.abandon()
      sent.messages.release()
      calls?.ended({ type: 'abandoned' })
    },
    sender: {
      send(bytes, isLogin) {
        isRequested = true
        return sent.bytes.send(bytes, isLogin)
      },
      sendMessage(message) {
        isRequested = true
        return sent.messages.send(message)
      },
      sendEnd() {
        sent.messages.release()
        sent.bytes.end()
      },
    },
    ...(origin.type === 'tape' ? fromTape(origin.effect, tools, sent) : {}),
  }
}

function fromTape(
  effect: number,
  { tape }: Tools,
  sent: Sent,
): Pick<EffectCode, 'decode' | 'isBehind' | 'recordedSent'> {
  if (tape === null) return {}
  const decoder = new StreamDecoder(tape.payloads, () => partsOf(tape, effect))
  return {
    decode(record): readonly Delivery[] {
      const { kind } = record
      if (kind.kind === 'completion') return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
      if (kind.kind === 'ws_message') return [messageDelivery(record, kind, tape.payloads)]
      return kind.kind === 'stream_chunk' || kind.kind === 'stream_end' ? decoder.decode(record, kind) : []
    },
    isBehind: () => sent.bytes.isBehind() || sent.messages.isBehind(),
    recordedSent(record) {
      sent.bytes.recordedSent(record)
      sent.messages.recordedSent(record)
    },
  }
}

/** What is received, without what the program sent. */
function* partsOf(tape: TapeTools, effect: number): Generator<StreamPart> {
  for (const { kind } of tape.ahead()) {
    if ((kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.of !== effect) continue
    if (kind.stream === undefined) yield kind
  }
}
