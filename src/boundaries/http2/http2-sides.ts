/**
 * Both directions of an HTTP/2 connection, without a session: incoming bytes become outcomes, outcomes become
 * the bytes that Node's own session reads, and the bytes that it writes become frames.
 *
 * Each side of the connection compresses its headers for the other one; here they are plain. Bytes that
 * cannot be read as frames stay bytes.
 */
import type { Http2Frame } from '../http2-frame.ts'
import type { Http2Arrival, Outcome } from '../session.ts'
import { FrameReader, frameBytes, PREFACE } from './frames.ts'

const FRAME_SIZE_SETTING = 5
const DEFAULT_FRAME_SIZE = 16_384

export class Http2Sides {
  readonly #incoming: FrameReader
  readonly #outgoing: FrameReader
  readonly #wire: number[] = []
  /** Frames for the peer that return padding to its window. */
  #returned: Buffer[] = []
  #isRaw = false
  /** Received bytes that belong to no delivered frame: they count for the next one. */
  #skipped: number
  #needsPreface: boolean
  /** The largest frame that the program accepts. */
  #frameSize = DEFAULT_FRAME_SIZE

  /** `role`: which side the program is. */
  constructor(role: 'client' | 'server') {
    this.#incoming = new FrameReader(role === 'server', () => this.#frameSize)
    this.#outgoing = new FrameReader(role === 'client')
    this.#needsPreface = role === 'server'
    this.#skipped = role === 'server' ? PREFACE.length : 0
  }

  /** Received bytes, as outcomes. */
  arrived(outcome: Outcome): readonly Outcome[] {
    if (outcome.type === 'chunk') return this.#arrivedBytes(outcome.bytes)
    const rest = this.#incoming.release()
    return rest.length === 0 ? [outcome] : [{ type: 'chunk', bytes: rest }, outcome]
  }

  /** The frames that the program sends. Null if it sends something else. */
  sent(bytes: Uint8Array): readonly Http2Frame[] | null {
    const read = this.#outgoing.push(bytes)
    if (this.#outgoing.isBroken) return null
    const frames = read.flatMap(({ frame }) => (frame === null ? [] : [frame]))
    for (const frame of frames) this.#noteSettings(frame)
    return frames.filter(isOfProgram)
  }

  /** The bytes of a frame, for the program's session. A server reads the preface of the client first. */
  bytesOf({ frame }: Http2Arrival): Buffer {
    const bytes = frameBytes(frame)
    if (!this.#needsPreface) return bytes
    this.#needsPreface = false
    return Buffer.concat([PREFACE, bytes])
  }

  /** How many bytes arrived for the frame that is delivered now. */
  wireBytes(): number | undefined {
    return this.#wire.shift()
  }

  /** Frames of our own for the peer; null if there are none, or the program is in the middle of one. */
  takeReturned(): Buffer | null {
    if (this.#returned.length === 0 || !this.#outgoing.isAtBoundary) return null
    const bytes = Buffer.concat(this.#returned)
    this.#returned = []
    return bytes
  }

  #arrivedBytes(bytes: Uint8Array): readonly Outcome[] {
    if (this.#isRaw) return [{ type: 'chunk', bytes }]
    const outcomes: Outcome[] = []
    for (const { frame, wireBytes, padding } of this.#incoming.push(bytes)) {
      this.#skipped += wireBytes
      if (frame === null) continue
      if (padding > 0) this.#returnPadding(frame, padding)
      this.#wire.push(this.#skipped)
      this.#skipped = 0
      outcomes.push({ type: 'http2', frame })
    }
    if (this.#incoming.isBroken) {
      this.#isRaw = true
      const rest = this.#incoming.release()
      if (rest.length > 0) outcomes.push({ type: 'chunk', bytes: rest })
    }
    return outcomes
  }

  /** The program does not see padding, so it does not return it to the window of the sender. */
  #returnPadding(frame: Http2Frame, increment: number): void {
    const stream = frame.frame === 'data' ? frame.stream : 0
    this.#returned.push(frameBytes({ frame: 'window', stream: 0, increment }))
    if (frame.frame === 'data' && !frame.ends)
      this.#returned.push(frameBytes({ frame: 'window', stream, increment }))
  }

  #noteSettings(frame: Http2Frame): void {
    if (frame.frame !== 'settings') return
    for (const [id, value] of frame.settings) if (id === FRAME_SIZE_SETTING) this.#frameSize = value
  }
}

/**
 * Frames that Node's session sends without the program are not recorded: they follow from what the session
 * received.
 */
function isOfProgram(frame: Http2Frame): boolean {
  if (frame.frame === 'window') return false
  return !((frame.frame === 'settings' || frame.frame === 'ping') && frame.ack)
}
