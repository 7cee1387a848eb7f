/**
 * One connection to a server of the program, the same in both modes: it connects the stand-in socket of the
 * program's server with the session. Requests are written as the bytes that Node's own parser expects, so
 * keep-alive, pipelining, upgrades, limits and aborts are Node's code. What the program writes is read as
 * responses.
 */
import { label } from '../../base/index.ts'
import type { RealSocket } from '../../real/sockets.ts'
import { errorFromFacts } from '../errors.ts'
import { Http2Sides } from '../http2/http2-sides.ts'
import { isClosedByPeer } from '../network/exchange.ts'
import { bodyBytes, endBytes, requestFraming, takesConnectionOver } from '../network/http-heads.ts'
import { IdleLimit } from '../network/idle-limit.ts'
import type { Framing } from '../network/message-parser.ts'
import {
  type Effect,
  type IncomingRequest,
  MAX_WAITING_BYTES,
  type Outcome,
  type Session,
} from '../session.ts'
import type { ConnectionFacts, SocketEnds } from '../sockets/client-socket.ts'
import { closingOf } from '../sockets/close-socket.ts'
import { StandInSocket } from '../sockets/stand-in-socket.ts'
import { clientMessageBytes } from '../websocket/web-socket-sides.ts'
import { LiveClient } from './live-client.ts'
import { SentAnswers } from './sent-answers.ts'

const NETWORK = label('network')

/** The part of a `net.Server` that this file uses. */
type ServerOfSocket = {
  _connections: number
  allowHalfOpen?: boolean
  listenerCount(event: string): number
}

type Accepted = { readonly key: string; readonly tls: boolean; readonly facts: ConnectionFacts }

/** `accepted` is null for a connection that failed before it was one; `real` is null in a replay. */
export function openServed(
  session: Session,
  accepted: Accepted | null,
  server: ServerOfSocket,
  real: RealSocket | null,
): StandInSocket {
  return new ServedConnection(session, accepted, server, real).socket
}

class ServedConnection implements SocketEnds {
  readonly socket: StandInSocket
  readonly #session: Session
  readonly #key: string
  readonly #server: ServerOfSocket
  readonly #effect: Effect | null
  readonly #idle: IdleLimit
  readonly #live: LiveClient | null
  readonly #answers: SentAnswers | null
  /** How the body of the current request is framed. */
  #framing: Framing | null = null
  /** Bytes that the client may not have read yet. */
  #unreadBytes = 0
  readonly #http2 = new Http2Sides('server')

  constructor(session: Session, accepted: Accepted | null, server: ServerOfSocket, real: RealSocket | null) {
    this.#session = session
    this.#key = accepted?.key ?? ''
    this.#server = server
    const tls = accepted?.tls === true ? {} : null
    this.socket = new StandInSocket({ allowHalfOpen: server.allowHalfOpen === true, tls }, this)
    this.#idle = new IdleLimit(session, () => void this.socket.emit('timeout'))
    this.#effect =
      accepted === null
        ? null
        : session.start(NETWORK, accepted.key, (outcome) => this.#receive(outcome), { server: 'connection' })
    const side = this.#effect?.served
    this.#answers =
      side === undefined ? null : new SentAnswers(side, this.#effect?.frames ?? null, this.#http2)
    const effect = this.#effect
    this.#live =
      real === null || effect === null
        ? null
        : new LiveClient(real, (outcome) => effect.arrive(outcome), server, this.#http2)
    this.socket.connected(accepted?.facts ?? {})
  }

  /** The bytes are recorded as they are, and mean nothing in a replay: its keys would be others. */
  ownTls(): void {
    if (this.#live !== null) this.#session.gap(NETWORK, `TLS that the program makes itself: ${this.#key}`)
  }

  write(bytes: Uint8Array): boolean {
    this.#answers?.push(bytes)
    this.#live?.write(bytes)
    this.#live?.returnPadding()
    return this.#written(bytes.byteLength)
  }

  /** Whether the program may go on. False: `drained` of the socket is called later. */
  #written(bytes: number): boolean {
    const effect = this.#effect
    // HTTP/2 has windows of its own.
    if (effect === null || this.#answers?.isHttp2 === true) return true
    this.#unreadBytes += bytes
    if (this.#unreadBytes < MAX_WAITING_BYTES || effect.served?.waitForClient() !== true) return true
    this.#live?.whenDrained(() => effect.arrive({ type: 'completion' }))
    return false
  }

  end(): void {
    this.#answers?.end()
    this.#live?.end()
  }

  wantsMore(): void {
    this.#live?.resume()
  }

  destroyed(isReset: boolean): void {
    this.#idle.clear()
    this.#answers?.destroyed()
    this.#effect?.close()
    this.#live?.destroy(closingOf(isReset, this.socket))
    const server = this.#server
    if (Reflect.get(this.socket, '_server') !== server) return
    server._connections -= 1
    const drained: unknown = Reflect.get(server, '_emitCloseIfDrained')
    if (typeof drained === 'function') Reflect.apply(drained, server, [])
  }

  setRef(ref: boolean): void {
    this.#effect?.setRef(ref)
    this.#live?.setRef(ref)
  }

  setIdleLimit(ms: number): void {
    this.#idle.set(ms)
  }

  activity(): void {
    this.#idle.moved()
  }

  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void {
    this.#live?.option(name, args)
  }

  #receive(outcome: Outcome): void {
    const { socket } = this
    this.#idle.moved()
    switch (outcome.type) {
      case 'request':
        this.#request(outcome)
        return
      case 'http2':
        this.#live?.taken(this.#http2.wireBytes() ?? 0)
        this.#give(this.#http2.bytesOf(outcome))
        return
      case 'ws_message':
        this.#live?.taken(outcome.bytes.byteLength)
        this.#give(clientMessageBytes(outcome))
        return
      case 'chunk':
        this.#live?.taken(outcome.bytes.byteLength)
        if (outcome.bytes.byteLength > 0)
          this.#give(this.#framing === null ? outcome.bytes : bodyBytes(this.#framing, outcome.bytes))
        return
      case 'completion':
        this.#unreadBytes = 0
        socket.drained()
        return
      case 'end':
        if (this.#framing === null) socket.receiveEnd()
        else this.#give(endBytes(this.#framing, outcome.trailers))
        this.#framing = null
        return
      case 'error':
        if (isClosedByPeer(outcome.error)) socket.receiveEnd()
        else socket.destroy(errorFromFacts(outcome.error))
        return
      default:
        throw new Error(`a connection to a server cannot receive ${outcome.type}`)
    }
  }

  #request(request: IncomingRequest): void {
    const { body, bytes } = request
    this.#answers?.expect(request.method)
    this.#framing = body === undefined ? framingOf(request) : null
    if (body !== undefined) this.#live?.taken(body.byteLength)
    if (bytes !== undefined) this.#give(bytes)
    else if (body === undefined) this.#give(requestBytes(request))
    else this.#give(wholeBytes(request, body))
  }

  #give(bytes: Uint8Array): void {
    if (!this.socket.receiveBytes(bytes)) this.#live?.pause()
  }
}

function wholeBytes(request: IncomingRequest, body: Uint8Array): Uint8Array {
  const framing = framingOf(request)
  const sent = body.byteLength === 0 ? [] : [bodyBytes(framing, body)]
  return Buffer.concat([requestBytes(request), ...sent, endBytes(framing, [])])
}

/** A request that takes the connection over has no body of its own. */
function framingOf({ method, target, headers }: IncomingRequest): Framing {
  if (takesConnectionOver({ method, target, headers }) !== null && !hasBody(headers)) return { type: 'none' }
  return requestFraming(headers) ?? { type: 'none' }
}

function hasBody(headers: IncomingRequest['headers']): boolean {
  return headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
}

function requestBytes({ method, target, headers, httpVersion = '1.1' }: IncomingRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`, 'latin1')
}
