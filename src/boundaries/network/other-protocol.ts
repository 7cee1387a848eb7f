/**
 * A connection of a client that is no HTTP/1, or stops being it (CONNECT, an upgrade): one effect from there
 * on, a stream of bytes, the messages of a WebSocket, or the frames of HTTP/2. TLS that the program makes
 * itself of those bytes is a gap: passed on unrecorded, and refused in a replay.
 */
import { AsyncResource } from 'node:async_hooks'
import { label } from '../../base/index.ts'
import { realNextTick } from '../../real/sockets.ts'
import { errorFromFacts } from '../errors.ts'
import { Http2Link } from '../http2/http2-link.ts'
import type { Outcome } from '../session.ts'
import { ByteStream } from '../sockets/byte-stream.ts'
import type { ConnectionSides } from './client-exchanges.ts'
import { startsLikeHttp2 } from './http-heads.ts'
import { http2Key, lateProtocol, streamKey, unreadableProtocol } from './protocols.ts'
import { refusal } from './refusal.ts'

const NETWORK = label('network')

/** A connection that is one effect. */
type OpenStream = ByteStream | Http2Link

export class OtherProtocol {
  readonly #sides: ConnectionSides
  readonly #moved: () => void
  readonly #resource = new AsyncResource('reprise.connection', { requireManualDestroy: true })
  #stream: OpenStream | null = null
  #isGap = false
  /** What came before the effect started. */
  #early: Outcome[] = []
  /** Chunks that the effect has and the client has not. */
  #waitingChunks = 0
  /** The effect of bytes that came before the connection turned out to be a gap. */
  #draining: OpenStream | null = null
  /** The key of the WebSocket that the program requests. */
  webSocket: string | null = null

  constructor(sides: ConnectionSides, moved: () => void) {
    this.#sides = sides
    this.#moved = moved
  }

  /**
   * From here on the connection is another protocol, `sent` first. Throws if the recording had none, or sent
   * something else.
   */
  start(sent: Uint8Array): void {
    const { session, target, socket } = this.#sides
    const unreadable = unreadableProtocol(sent)
    if (unreadable !== null) {
      this.#pass(unreadable)
      return
    }
    const sides = {
      socket,
      login: this.#sides.login,
      give: (bytes: Uint8Array, wireBytes?: number) => this.#give(bytes, wireBytes),
      taken: (bytes: number) => this.#sides.live()?.taken(bytes),
      whenDrained: (drained: () => void) => this.#sides.live()?.whenDrained(drained),
    }
    const stream = startsLikeHttp2(sent)
      ? new Http2Link(session, http2Key(target), sides, (bytes) => this.#sides.live()?.write(bytes))
      : new ByteStream(session, this.webSocket ?? streamKey(target), sides, this.webSocket !== null)
    this.#stream = stream
    if (stream.isLive) this.#sides.live()?.pass()
    if (sent.byteLength > 0) stream.send(sent)
    for (const outcome of this.#early.splice(0)) this.arrived(outcome)
  }

  /** `isFirst`: the client has written nothing before. Returns whether it may go on. */
  write(bytes: Uint8Array, isFirst: boolean): boolean {
    const stream = this.#stream
    const unreadable = isFirst && stream !== null ? lateProtocol(bytes) : null
    if (unreadable !== null) {
      this.#draining = stream
      this.#pass(unreadable)
    }
    if (stream === null || unreadable !== null) {
      this.#sides.live()?.write(bytes)
      return true
    }
    stream.send(bytes)
    if (stream.isLive) this.#sides.live()?.write(bytes)
    return stream.written(bytes.byteLength)
  }

  /** What the real side received. */
  arrived(outcome: Outcome): void {
    if (this.#stream !== null) {
      if (outcome.type === 'chunk') this.#waitingChunks += 1
      this.#stream.arrive(outcome)
    } else {
      this.#early.push(outcome)
      if (this.#isGap) this.#resource.runInAsyncScope(() => this.#giveUnrecorded())
    }
  }

  sendEnd(): void {
    this.#stream?.sendEnd()
  }

  setRef(ref: boolean): void {
    this.#stream?.setRef(ref)
  }

  close(): void {
    this.#stream?.close()
    this.#stream = null
  }

  /** The divergence of a protocol that a replay cannot serve. */
  refusal(protocol = 'TLS'): Error {
    return refusal(this.#sides.session, this.#gapReason(protocol))
  }

  #give(bytes: Uint8Array, wireBytes = bytes.byteLength): void {
    this.#moved()
    this.#sides.live()?.taken(wireBytes)
    this.#sides.give(bytes)
    this.#waitingChunks -= 1
    if (this.#isGap) this.#giveUnrecorded()
  }

  /**
   * The program itself encrypts or compresses: what crosses has no meaning for a replay, which refuses it,
   * and secrets in it could not be found.
   */
  #pass(protocol: string): void {
    const { session } = this.#sides
    const live = this.#sides.live()
    if (live === null || !session.isLive(NETWORK)) throw this.refusal(protocol)
    session.gap(NETWORK, this.#gapReason(protocol))
    this.#stream = null
    this.#isGap = true
    live.pass()
    // The server may have been first.
    realNextTick(() => this.#giveUnrecorded())
  }

  /** What came before the gap goes first. */
  #giveUnrecorded(): void {
    if (this.#waitingChunks > 0) return
    this.#draining?.close()
    this.#draining = null
    for (const outcome of this.#early.splice(0)) this.#unrecorded(outcome)
  }

  #unrecorded(outcome: Outcome): void {
    const { socket, give } = this.#sides
    if (outcome.type === 'chunk') give(outcome.bytes)
    else if (outcome.type === 'error') socket.destroy(errorFromFacts(outcome.error))
    else socket.receiveEnd()
  }

  #gapReason(protocol: string): string {
    return `${protocol} that the program makes itself: ${this.#sides.target.name}`
  }
}
