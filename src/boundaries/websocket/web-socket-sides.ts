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
import { serverFrame } from './frames.ts'
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

  /** Whether the request has no response yet. */
  get isAsking(): boolean {
    return !this.#isAnswered
  }

  /** Received bytes, as outcomes. */
  arrived(outcome: Outcome): readonly Outcome[] {
    if (outcome.type === 'chunk') return this.#arrivedBytes(Buffer.from(outcome.bytes))
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
    if (accepted !== null) this.#outgoing = new MessageReader(accepted.client)
  }

  /** The messages that the client sends; null if it sends plain bytes. */
  sent(bytes: Uint8Array): readonly SocketMessage[] | null {
    const reader = this.#outgoing
    if (reader === null) return null
    return outside(() => reader.push(bytes)).map(asOutcome)
  }

  /** How many bytes arrived for the message that is delivered now. */
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
    this.#incoming = new MessageReader(accepted.server)
    const head = { type: 'chunk', bytes: all.subarray(0, end) } as const
    return [head, ...this.#messages(this.#incoming, all.subarray(end))]
  }

  #messages(reader: MessageReader, bytes: Buffer): readonly Outcome[] {
    const messages = reader.push(bytes)
    for (const { size } of messages) this.#wire.push(size)
    const outcomes: readonly Outcome[] = messages.map(asOutcome)
    if (!reader.isBroken) return outcomes
    this.#incoming = null
    return [...outcomes, { type: 'chunk', bytes: reader.release() }]
  }
}

/** The bytes of a message as a server sends it. */
export function messageBytes({ message, bytes }: SocketMessage): Buffer {
  const opcode = Object.entries(OPCODES).find(([name]) => name === message)?.[1] ?? OPCODES.binary
  return serverFrame(opcode, bytes)
}

function asOutcome({ type, bytes }: Message): SocketMessage {
  return { type: 'ws_message', message: label(type), bytes }
}
