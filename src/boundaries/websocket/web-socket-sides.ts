/**
 * Both directions of a connection that may become a WebSocket: bytes until the server accepts, whole messages
 * from there on. Has no session: it turns bytes into outcomes, and messages into the bytes that a client
 * reads.
 *
 * Bytes that cannot be read as messages stay bytes.
 */
import { label } from '../../base/index.ts'
import { outside } from '../context.ts'
import type { Outcome, SocketMessage } from '../session.ts'
import { clientFrame, serverFrame } from './frames.ts'
import { acceptedBy, headEnd } from './handshake.ts'
import { type Message, MessageReader, OPCODES } from './messages.ts'

/** A response with a longer head is rejected. */
const LONGEST_HEAD = 64 * 1024

export class WebSocketSides {
  /** The received part of the head of the response. */
  #head: Buffer | null = Buffer.alloc(0)
  #incoming: MessageReader | null = null
  #outgoing: MessageReader | null = null
  #isAnswered = false
  readonly #wire: number[] = []
  /** Bytes of a message that is not whole. */
  #unfinished = 0
  #released = 0

  /** Whether the request has no response yet. */
  get isAsking(): boolean {
    return !this.#isAnswered
  }

  /** Received bytes, as outcomes. */
  arrived(outcome: Outcome): readonly Outcome[] {
    if (outcome.type === 'chunk') return this.#arrivedBytes(bufferOf(outcome.bytes))
    // The rest of a frame comes before the end that cut it off.
    const rest = this.#incoming?.release() ?? this.#head ?? Buffer.alloc(0)
    this.#head = null
    return rest.length === 0 ? [outcome] : [{ type: 'chunk', bytes: rest }, outcome]
  }

  /** What the client has received: after the accepting response it sends messages. */
  received(bytes: Uint8Array): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    const accepted = acceptedBy(Buffer.from(bytes))
    if (accepted !== null) this.#outgoing = new MessageReader('client', accepted.client)
  }

  /** The messages that the client sends, and bytes that are no messages. Null if it sends plain bytes. */
  sent(bytes: Uint8Array): { readonly messages: readonly SocketMessage[]; readonly rest: Buffer } | null {
    const reader = this.#outgoing
    if (reader === null) return null
    const messages = outside(() => reader.push(bufferOf(bytes))).map(messageOutcome)
    if (!reader.isBroken) return { messages, rest: NOTHING }
    this.#outgoing = null
    return { messages, rest: reader.release() }
  }

  /**
   * How many bytes arrived since the last call that no outcome has yet, because their message is not whole. They
   * wait in the reader, so the connection must not count them as waiting for the client.
   */
  takeUnfinished(): number {
    const bytes = this.#released
    this.#released = 0
    return bytes
  }

  /** How many bytes wait in the connection for the message that is delivered now. */
  wireBytes(): number | undefined {
    return this.#wire.shift()
  }

  #arrivedBytes(bytes: Buffer): readonly Outcome[] {
    if (this.#incoming !== null) return this.#messages(this.#incoming, bytes)
    if (this.#head === null) return [{ type: 'chunk', bytes }]
    const all = Buffer.concat([this.#head, bytes])
    const end = headEnd(all)
    if (end < 0 && all.length < LONGEST_HEAD) {
      this.#head = all
      return []
    }
    this.#head = null
    const accepted = end < 0 ? null : acceptedBy(all.subarray(0, end))
    if (accepted === null) return [{ type: 'chunk', bytes: all }]
    this.#incoming = new MessageReader('server', accepted.server)
    const head = { type: 'chunk', bytes: all.subarray(0, end) } as const
    return [head, ...this.#messages(this.#incoming, all.subarray(end))]
  }

  #messages(reader: MessageReader, bytes: Buffer): readonly Outcome[] {
    const outcomes: Outcome[] = []
    const before = this.#unfinished
    let read = 0
    // Control frames come between the fragments of a message: what was released then covers both.
    let released = before
    for (const message of reader.push(bytes)) {
      const own = Math.min(message.size, released)
      released -= own
      read += message.size
      this.#wire.push(message.size - own)
      outcomes.push(messageOutcome(message))
    }
    this.#unfinished = before + bytes.length - read
    this.#released += this.#unfinished - released
    if (!reader.isBroken) return outcomes
    this.#incoming = null
    const rest = reader.release()
    if (rest.length > 0) outcomes.push({ type: 'chunk', bytes: rest })
    return outcomes
  }
}

const NOTHING: Buffer = Buffer.alloc(0)

export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The bytes of a message as a server sends it. */
export function messageBytes({ message, bytes }: SocketMessage): Buffer {
  return serverFrame(opcodeOf(message), bytes)
}

/** The bytes of a message as a client sends it. */
export function clientMessageBytes({ message, bytes }: SocketMessage): Buffer {
  const head = { isFinal: true, isCompressed: false, opcode: opcodeOf(message) }
  return clientFrame({ ...head, payload: bufferOf(bytes), size: bytes.byteLength })
}

function opcodeOf(message: string): number {
  return opcodes.get(message) ?? OPCODES.binary
}

const opcodes = new Map<string, number>(Object.entries(OPCODES))

export function messageOutcome({ type, bytes }: Message): SocketMessage {
  return { type: 'ws_message', message: label(type), bytes }
}
