/**
 * Messages of a WebSocket, whole, in the order of the wire: fragments are joined, compressed ones (RFC 7692)
 * are inflated. A client's library behaves the same with these: it reports a message when it is whole.
 */
import { inflateRawSync, constants as zlib } from 'node:zlib'
import { type Frame, FrameReader } from './frames.ts'

export const OPCODES = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
type MessageType = keyof typeof OPCODES

export type Message = {
  readonly type: MessageType
  readonly bytes: Uint8Array
  /** Its number of bytes on the wire. */
  readonly size: number
}

/** How one side compresses; null if it does not. */
export type Compression = { readonly keepsContext: boolean }

const TYPES = new Map<number, MessageType>([
  [OPCODES.text, 'text'],
  [OPCODES.binary, 'binary'],
  [OPCODES.close, 'close'],
  [OPCODES.ping, 'ping'],
  [OPCODES.pong, 'pong'],
])
const CONTINUES = 0
const TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff])
const WINDOW = 32 * 1024

export class MessageReader {
  readonly #frames = new FrameReader()
  readonly #compression: Compression | null
  #fragments: Frame[] = []
  #window: Buffer = Buffer.alloc(0)
  #isBroken = false

  constructor(compression: Compression | null) {
    this.#compression = compression
  }

  push(bytes: Uint8Array): readonly Message[] {
    return this.#frames.push(bytes).flatMap((frame) => this.#take(frame) ?? [])
  }

  /** The bytes that it reads are no WebSocket. */
  get isBroken(): boolean {
    return this.#isBroken || this.#frames.isBroken
  }

  /** Bytes of an incomplete frame. */
  release(): Buffer {
    return this.#frames.release()
  }

  #take(frame: Frame): Message | null {
    // Control frames may come between the fragments of a message.
    if (frame.opcode >= OPCODES.close) return this.#message([frame])
    this.#fragments.push(frame)
    if (!frame.isFinal) return null
    const fragments = this.#fragments
    this.#fragments = []
    return this.#message(fragments)
  }

  #message(frames: readonly Frame[]): Message | null {
    const [first] = frames
    const type = TYPES.get(first?.opcode ?? CONTINUES)
    if (first === undefined || type === undefined) {
      this.#isBroken = true
      return null
    }
    const joined = Buffer.concat(frames.map(({ payload }) => payload))
    const size = frames.reduce((sum, frame) => sum + frame.size, 0)
    return { type, bytes: first.isCompressed ? this.#inflate(joined) : joined, size }
  }

  #inflate(compressed: Buffer): Buffer {
    const dictionary = this.#window
    const plain = inflateRawSync(Buffer.concat([compressed, TAIL]), {
      finishFlush: zlib.Z_SYNC_FLUSH,
      ...(dictionary.length === 0 ? {} : { dictionary }),
    })
    if (this.#compression?.keepsContext === true)
      this.#window = Buffer.concat([dictionary, plain]).subarray(-WINDOW)
    return plain
  }
}
