/**
 * The messages that the program sends over one WebSocket: scrubbed, written as records, and in a replay compared
 * one by one with those of the recording. Either side may come first. Over MQTT a packet counts as a message.
 */
import { label } from '../../base/index.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import type { SocketMessage } from '../../boundaries/session.ts'
import { type Divergence, divergenceError } from '../../fidelity/divergence.ts'
import { otherInput } from '../../fidelity/sentences.ts'
import type { TapeRecord } from '../../tape/index.ts'
import type { SocketCalls } from '../llm/socket-calls.ts'
import { withoutCounts } from '../session/counted-secrets.ts'
import type { TapeTools, Tools } from '../session/family.ts'
import { SentBytes } from '../session/sent-bytes.ts'
import { MqttPackets } from './mqtt-packets.ts'
import { messageKind, messageOf, type StoredMessage, storedMessage } from './stored-message.ts'

type SentOptions = {
  readonly calls?: SocketCalls | null
  readonly isMqtt?: boolean
  /** The program is the server: after an edit, its messages are what the run was made for. */
  readonly isServed?: boolean
}

type Sent = { readonly message: string; readonly bytes: Uint8Array }

export class SentMessages {
  readonly #id: number
  readonly #key: string
  readonly #tools: Tools
  readonly #recorded: TapeTools | null
  readonly #calls: SocketCalls | null
  readonly #packets: MqttPackets | null
  readonly #isServed: boolean
  #n = 0
  #compared = 0
  #seq = 0
  #differs = false
  readonly #expected: Sent[] = []
  readonly #actual: Sent[] = []

  constructor(
    id: number,
    key: string,
    isFromTape: boolean,
    tools: Tools,
    { calls = null, isMqtt = false, isServed = false }: SentOptions = {},
  ) {
    this.#id = id
    this.#key = key
    this.#tools = tools
    this.#recorded = isFromTape ? tools.tape : null
    this.#calls = calls
    this.#packets = isMqtt ? new MqttPackets() : null
    this.#isServed = isServed
  }

  send(message: SocketMessage): Error | null {
    const isPart = this.#packets !== null && message.message === BINARY
    if (isPart) return this.#sendAll(this.#packets.push(message.bytes))
    // A ping may come between the parts of a packet.
    if (message.message === CLOSE) this.release()
    return this.#send(message)
  }

  /** Whether no record has the start of a packet yet. */
  get isHolding(): boolean {
    return this.#packets?.isHolding === true
  }

  /** The program sends no more: writes the parts of an incomplete packet. */
  release(): void {
    this.#sendAll(this.#packets?.release() ?? [])
  }

  #sendAll(packets: readonly Uint8Array[]): Error | null {
    let error: Error | null = null
    for (const bytes of packets) error ??= this.#send({ type: 'ws_message', message: BINARY, bytes })
    return error
  }

  #send({ message, bytes }: SocketMessage): Error | null {
    const { recorder, scrubber } = this.#tools
    const before = scrubber.hits
    // A protocol in binary messages may count the bytes of a secret.
    const uncounted = message === 'binary' ? withoutCounts(bytes, scrubber) : bytes
    const stored: StoredMessage = storedMessage(message, uncounted, (part) => scrubber.bytes(part, 'sent'))
    recorder.record(messageKind(this.#id, this.#n, 'out', message, stored, recorder), scrubber.hits - before)
    this.#n += 1
    if (message === 'text') this.#calls?.sent(stored.data)
    if (this.#recorded === null) return null
    this.#actual.push({ message, bytes: messageOf(stored) })
    return this.#compare()
  }

  /** A record of the tape that holds what was sent. */
  recordedSent({ seq, kind }: TapeRecord): void {
    if (kind.kind !== 'ws_message' || kind.direction !== 'out' || this.#recorded === null) return
    this.#seq = seq
    const data = this.#recorded.payloads(kind.data)
    this.#expected.push({ message: kind.message, bytes: messageOf({ data, code: kind.code }) })
    const error = this.#compare()
    if (error !== null) this.#tools.deliver(this.#id, { type: 'error', error: errorFacts(error) })
  }

  isBehind(): boolean {
    return !this.#differs && this.#expected.length > 0
  }

  leftovers(): readonly Divergence[] {
    if (this.#differs || (this.#expected.length === 0 && this.#actual.length === 0)) return []
    return [this.#divergence(this.#expected[0], this.#actual[0])]
  }

  #compare(): Error | null {
    if (this.#isServed && this.#tools.mayDiffer()) {
      this.#expected.length = 0
      this.#actual.length = 0
    }
    while (!this.#differs) {
      const [expected, actual] = [this.#expected[0], this.#actual[0]]
      if (expected === undefined || actual === undefined) return null
      this.#expected.shift()
      this.#actual.shift()
      this.#compared += 1
      if (expected.message === actual.message && Buffer.from(expected.bytes).equals(actual.bytes)) continue
      this.#differs = true
      return divergenceError(this.#tools.diverge(this.#divergence(expected, actual)))
    }
    return null
  }

  #divergence(expected: Sent | undefined, actual: Sent | undefined): Divergence {
    const difference = new SentBytes()
    difference.recorded(expected?.bytes ?? NOTHING)
    const found = difference.live(actual?.bytes ?? NOTHING) ?? difference.leftover()
    const shown = found ?? { expected: expected?.message ?? 'the end', actual: actual?.message ?? 'the end' }
    return otherInput(this.#seq, 'messages', this.#key, { ...shown, where: `message ${this.#compared}` })
  }
}

const BINARY = label('binary')
const CLOSE = label('close')
const NOTHING = new Uint8Array()
