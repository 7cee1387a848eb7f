/**
 * A connection with an unknown protocol: one effect, with the bytes of both directions. The same in every
 * mode; in a recording the real side passes incoming bytes to `arrive`.
 *
 * A write completes at once, up to a limit: then the writer waits until the peer has read it. That moment is
 * an outcome, so a replay waits at the same place.
 *
 * Decision 0320.
 */
import { type Label, label } from '../../base/index.ts'
import type { LoginState } from '../gate.ts'
import { inAnswerTo, takeLogin } from '../logins.ts'
import { type Effect, MAX_WAITING_BYTES, type Outcome, type Session } from '../session.ts'
import { messageBytes, WebSocketSides } from '../websocket/web-socket-sides.ts'
import type { ClientSocket } from './client-socket.ts'
import { endStream } from './stream-ending.ts'

const NETWORK: Label = label('network')

export type StreamSides = {
  readonly socket: ClientSocket
  readonly login: LoginState
  /** Bytes go to the client. `wireBytes`: the number of bytes that arrived for them, if it differs. */
  give(bytes: Uint8Array, wireBytes?: number): void
  /** Bytes that arrived wait for the rest of their message, not for the client. */
  taken(bytes: number): void
  /** Calls back when the peer has read everything. Only in a recording. */
  whenDrained(drained: () => void): void
}

export class ByteStream {
  readonly #effect: Effect
  readonly #session: Session
  readonly #sides: StreamSides
  readonly #webSocket: WebSocketSides | null
  #waitingBytes = 0

  /** `isWebSocket`: the program has requested one. */
  constructor(session: Session, key: string, sides: StreamSides, isWebSocket = false) {
    this.#session = session
    this.#sides = sides
    this.#webSocket = isWebSocket ? new WebSocketSides() : null
    this.#effect = session.start(NETWORK, key, (outcome) => this.#receive(outcome), { byteStream: true })
  }

  get isLive(): boolean {
    return this.#effect.isLive
  }

  arrive(outcome: Outcome): void {
    const outcomes = this.#webSocket?.arrived(outcome) ?? [outcome]
    const unfinished = this.#webSocket?.takeUnfinished() ?? 0
    if (unfinished > 0) this.#sides.taken(unfinished)
    for (const each of outcomes) this.#effect.arrive(each)
  }

  /** Throws the divergence if the recording sent something else. */
  send(bytes: Uint8Array): void {
    // The request for a WebSocket is its key.
    if (this.#webSocket?.isAsking === true) return
    const sent = this.#webSocket?.sent(bytes) ?? null
    if (sent !== null) {
      for (const message of sent.messages) {
        const error = this.#effect.sender?.sendMessage(message) ?? null
        if (error !== null) throw error
      }
      if (sent.rest.byteLength > 0) this.#sendBytes(sent.rest)
    } else this.#sendBytes(bytes)
  }

  #sendBytes(bytes: Uint8Array): void {
    const isLogin = takeLogin(this.#session, this.#sides.login, bytes)
    const error = this.#effect.sender?.send(bytes, isLogin) ?? null
    if (error !== null) throw error
  }

  /** Whether the writer may continue. False: `drained` of the socket is called later. */
  written(bytes: number): boolean {
    this.#waitingBytes += bytes
    if (this.#waitingBytes < MAX_WAITING_BYTES) return true
    if (this.#effect.isLive) this.#sides.whenDrained(() => this.#effect.arrive({ type: 'completion' }))
    return false
  }

  sendEnd(): void {
    this.#effect.sender?.sendEnd()
  }

  setRef(ref: boolean): void {
    this.#effect.setRef(ref)
  }

  close(): void {
    this.#effect.close()
  }

  #receive(outcome: Outcome): void {
    const { socket, login, give } = this.#sides
    switch (outcome.type) {
      case 'chunk':
        this.#session.derived?.received(outcome.bytes)
        this.#webSocket?.received(outcome.bytes)
        inAnswerTo(login, () => give(outcome.bytes))
        return
      case 'ws_message':
        give(messageBytes(outcome), this.#effect.isLive ? this.#webSocket?.wireBytes() : undefined)
        return
      case 'completion':
        this.#waitingBytes = 0
        socket.drained()
        return
      default:
        endStream(socket, outcome, 'a connection')
    }
  }
}
