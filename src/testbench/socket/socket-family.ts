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
import type { SendSide } from '../../boundaries/session.ts'
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeRecord, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { createSocketCalls, type SocketCalls } from '../llm/socket-calls.ts'
import { jsonOf } from '../records/answers.ts'
import type { Delivery } from '../session/delivery.ts'
import type { EffectCode, EffectFamily, Origin, SessionFamily, TapeTools, Tools } from '../session/family.ts'
import type { Received } from '../session/received.ts'
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
          return isFromTape && tape !== null
            ? new TapedSocketCode(id, origin, tools, tape, own, calls)
            : new SocketCode(id, origin, tools, own, calls)
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

/** A class: an object with a getter and spread members is slow in V8, and this runs for every chunk. */
class SocketCode implements EffectCode {
  readonly sender: SendSide
  protected readonly sent: Sent
  readonly #id: number
  readonly #recorder: TapeRecorder
  readonly #received: Received
  readonly #calls: SocketCalls | null
  readonly #incoming: StreamCode
  readonly #messages: ReceivedMessages
  /** Whether the program has sent something that is not answered yet. */
  #isRequested = false

  constructor(id: number, origin: Origin, tools: Tools, sent: Sent, calls: SocketCalls | null) {
    const { recorder } = tools
    const received = tools.received(origin)
    this.#id = id
    this.#recorder = recorder
    this.#received = received
    this.#calls = calls
    this.sent = sent
    this.#incoming = new StreamCode(id, recorder, received, received.maskedStream())
    this.#messages = new ReceivedMessages(id, recorder, received)
    this.sender = {
      send: (bytes, isLogin) => {
        this.#isRequested = true
        return sent.bytes.send(bytes, isLogin)
      },
      sendMessage: (message) => {
        this.#isRequested = true
        return sent.messages.send(message)
      },
      sendEnd: () => {
        sent.messages.release()
        sent.bytes.end()
      },
    }
  }

  get isHolding(): boolean {
    return this.#incoming.held > 0 || this.sent.bytes.held > 0 || this.sent.messages.isHolding
  }

  isBusy(): boolean {
    return this.#isRequested
  }

  encode({ outcome, recorded, together = false }: Delivery): null {
    this.#isRequested = false
    switch (outcome.type) {
      case 'chunk':
        this.#incoming.chunk(outcome.bytes, together, recorded)
        return null
      case 'end':
        this.#incoming.end(outcome.trailers, together, recorded)
        this.#calls?.ended({ type: 'end' })
        return null
      case 'error':
        this.#incoming.error(outcome.error, together, recorded)
        this.#calls?.ended({ type: 'error', error: this.#received.value(jsonOf(outcome.error)) })
        return null
      case 'ws_message': {
        const data = this.#messages.encode(outcome, recorded)
        if (outcome.message === 'text') this.#calls?.received(data)
        else if (outcome.message === 'close') this.#calls?.ended({ type: 'end' })
        return null
      }
      case 'completion':
        this.#recorder.record({ kind: 'completion', of: this.#id })
        return null
      default:
        throw new Error(`a connection has no ${outcome.type}`)
    }
  }

  abandon(): void {
    this.#incoming.abandon()
    this.sent.bytes.abandon()
    this.sent.messages.release()
    this.#calls?.ended({ type: 'abandoned' })
  }
}

/** Of a connection that a tape answers. */
class TapedSocketCode extends SocketCode {
  readonly #decoder: StreamDecoder
  readonly #payloads: TapePayloads

  constructor(
    id: number,
    origin: TapeOrigin,
    tools: Tools,
    tape: TapeTools,
    sent: Sent,
    calls: SocketCalls | null,
  ) {
    super(id, origin, tools, sent, calls)
    this.#payloads = tape.payloads
    this.#decoder = new StreamDecoder(tape.payloads, () => partsOf(tape, origin.effect))
  }

  decode(record: TapeRecord): readonly Delivery[] {
    const { kind } = record
    if (kind.kind === 'completion') return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
    if (kind.kind === 'ws_message') return [messageDelivery(record, kind, this.#payloads)]
    return kind.kind === 'stream_chunk' || kind.kind === 'stream_end'
      ? this.#decoder.decode(record, kind)
      : []
  }

  isBehind(): boolean {
    return this.sent.bytes.isBehind() || this.sent.messages.isBehind()
  }

  recordedSent(record: TapeRecord): void {
    this.sent.bytes.recordedSent(record)
    this.sent.messages.recordedSent(record)
  }
}

type TapeOrigin = Extract<Origin, { readonly type: 'tape' }>

/** What is received, without what the program sent. */
function* partsOf(tape: TapeTools, effect: number): Generator<StreamPart> {
  for (const { kind } of tape.ahead()) {
    if ((kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.of !== effect) continue
    if (kind.stream === undefined) yield kind
  }
}
