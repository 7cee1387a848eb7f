/**
 * Messages of a WebSocket, whole, in the order of the wire: fragments are joined, compressed ones (RFC 7692)
 * are inflated. A client's library behaves the same with these: it reports a message when it is whole.
 */
import { inflateRawSync, constants as zlib } from 'node:zlib'
import { clientFrame, type Frame, FrameReader, sameFrame } from './frames.ts'

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
  readonly #frames: FrameReader
  readonly #sender: 'client' | 'server'
  readonly #compression: Compression | null
  #fragments: Frame[] = []
  #window: Buffer = Buffer.alloc(0)
  #isBroken = false
  readonly #acceptsFrame = (head: Pick<Frame, 'opcode' | 'isCompressed'>): boolean => this.#accepts(head)

  constructor(sender: 'client' | 'server', compression: Compression | null) {
    this.#sender = sender
    this.#frames = new FrameReader(sender)
    this.#compression = compression
  }

  push(bytes: Buffer): readonly Message[] {
    this.#frames.push(bytes)
    const messages: Message[] = []
    while (!this.#isBroken) {
      const frame = this.#frames.next(this.#acceptsFrame)
      if (frame === null) break
      const message = this.#take(frame)
      if (message !== null) messages.push(message)
    }
    return messages
  }

  /** The bytes that it reads are no WebSocket. */
  get isBroken(): boolean {
    return this.#isBroken || this.#frames.isBroken
  }

  /** The frames of an incomplete message, and bytes that are not read. */
  release(): Buffer {
    const fragments = this.#fragments
    this.#fragments = []
    const frameBytes = this.#sender === 'client' ? clientFrame : sameFrame
    return Buffer.concat([...fragments.map(frameBytes), this.#frames.release()])
  }

  #accepts({ opcode, isCompressed }: Pick<Frame, 'opcode' | 'isCompressed'>): boolean {
    if (opcode >= OPCODES.close) return true
    const isInside = this.#fragments.length > 0
    if (isInside !== (opcode === CONTINUES)) return false
    return !isCompressed || (this.#compression !== null && !isInside)
  }

  #take(frame: Frame): Message | null {
    const isControl = frame.opcode >= OPCODES.close
    const isAlone = frame.isFinal && !frame.isCompressed && this.#fragments.length === 0
    const type = TYPES.get(frame.opcode)
    // Most messages are one frame. Control frames may come between the fragments of a message.
    if ((isControl || isAlone) && type !== undefined) return { type, bytes: frame.payload, size: frame.size }
    this.#fragments.push(frame)
    if (!frame.isFinal) return null
    const message = this.#message(this.#fragments)
    if (message !== null) this.#fragments = []
    return message
  }

  #message(frames: readonly Frame[]): Message | null {
    const [first] = frames
    const type = TYPES.get(first?.opcode ?? CONTINUES)
    const joined = frames.length === 1 && first !== undefined ? first.payload : joinedPayload(frames)
    const bytes = first?.isCompressed === true ? this.#inflate(joined) : joined
    if (type === undefined || bytes === null) {
      this.#isBroken = true
      return null
    }
    return { type, bytes, size: frames.reduce((sum, frame) => sum + frame.size, 0) }
  }

  /** Null if the bytes are damaged. */
  #inflate(compressed: Buffer): Buffer | null {
    const dictionary = this.#window
    try {
      const plain = inflateRawSync(Buffer.concat([compressed, TAIL]), {
        finishFlush: zlib.Z_SYNC_FLUSH,
        ...(dictionary.length === 0 ? {} : { dictionary }),
      })
      if (this.#compression?.keepsContext === true)
        this.#window = Buffer.concat([dictionary, plain]).subarray(-WINDOW)
      return plain
    } catch {
      // The client's library reads the same bytes, and reports the error.
      return null
    }
  }
}

function joinedPayload(frames: readonly Frame[]): Buffer {
  return Buffer.concat(frames.map(({ payload }) => payload))
}
