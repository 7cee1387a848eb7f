/**
 * A client's HTTP/2 connection: one effect. Node's own session reads and writes it in every mode, so streams,
 * flow control, limits and errors are Node's code. In a recording the real side passes incoming bytes to
 * `arrive`.
 *
 * Decision 0370.
 */
import { type Label, label } from '../../base/index.ts'
import { letImmediatesGoFirst } from '../gate.ts'
import { type Effect, MAX_WAITING_BYTES, type Outcome, type Session } from '../session.ts'
import type { StreamSides } from '../sockets/byte-stream.ts'
import { endStream } from '../sockets/stream-ending.ts'
import { Http2Sides } from './http2-sides.ts'

const NETWORK: Label = label('network')
/** The end of a write is one immediate of Node, and the write that follows it is another. */
export const IMMEDIATES_OF_A_WRITE = 2

export class Http2Link {
  readonly #effect: Effect
  readonly #sides: StreamSides
  readonly #http2 = new Http2Sides('client')
  readonly #write: (bytes: Uint8Array) => void
  #waitingBytes = 0

  /** `write`: sends bytes of our own to the peer. */
  constructor(session: Session, key: string, sides: StreamSides, write: (bytes: Uint8Array) => void) {
    this.#sides = sides
    this.#write = write
    this.#effect = session.start(NETWORK, key, (outcome) => this.#receive(outcome), { http2: true })
  }

  get isLive(): boolean {
    return this.#effect.isLive
  }

  arrive(outcome: Outcome): void {
    for (const each of this.#http2.arrived(outcome)) this.#effect.arrive(each)
    this.#returnPadding()
  }

  /** Throws the divergence if the recording sent something else. */
  send(bytes: Uint8Array): void {
    letImmediatesGoFirst(IMMEDIATES_OF_A_WRITE)
    const frames = this.#http2.sent(bytes)
    if (frames === null) throw new Error('a session of HTTP/2 writes bytes that are no frames')
    for (const frame of frames) {
      const error = this.#effect.frames?.send(frame) ?? null
      if (error !== null) throw error
    }
  }

  /** Whether the writer may continue. False: `drained` of the socket is called later. */
  written(bytes: number): boolean {
    this.#returnPadding()
    this.#waitingBytes += bytes
    if (this.#waitingBytes < MAX_WAITING_BYTES) return true
    if (this.#effect.isLive) this.#sides.whenDrained(() => this.#effect.arrive({ type: 'completion' }))
    return false
  }

  /** A session closes its connection itself: that is not recorded. */
  sendEnd(): void {
    letImmediatesGoFirst(IMMEDIATES_OF_A_WRITE)
  }

  setRef(ref: boolean): void {
    this.#effect.setRef(ref)
  }

  close(): void {
    this.#effect.close()
  }

  #returnPadding(): void {
    const bytes = this.#effect.isLive ? this.#http2.takeReturned() : null
    if (bytes !== null) this.#write(bytes)
  }

  #receive(outcome: Outcome): void {
    const { socket, give } = this.#sides
    switch (outcome.type) {
      case 'http2':
        give(this.#http2.bytesOf(outcome), this.#effect.isLive ? this.#http2.wireBytes() : undefined)
        return
      case 'chunk':
        give(outcome.bytes)
        return
      case 'completion':
        this.#waitingBytes = 0
        letImmediatesGoFirst(IMMEDIATES_OF_A_WRITE)
        socket.drained()
        return
      default:
        endStream(socket, outcome, 'a connection of HTTP/2')
    }
  }
}
