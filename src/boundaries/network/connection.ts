/**
 * A client's connection, the same in both modes: it is between the socket that the client holds and the
 * session. It is read as HTTP/1 (client-exchanges.ts) until it turns out to be something else
 * (other-protocol.ts). Keep-alive, pipelining, 'socket hang up', timeouts and aborts are the client's own code.
 *
 * Decision 0082.
 */

import { label, parseJson } from '../../base/index.ts'
import { type RealSocket, realNextTick } from '../../real/sockets.ts'
import { errorFromFacts } from '../errors.ts'
import type { LoginState } from '../gate.ts'
import { startsLikeSettings } from '../http2/frames.ts'
import { inAnswerTo } from '../logins.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import type { ClientSocket, ConnectionFacts, SocketEnds } from '../sockets/client-socket.ts'
import { closingOf } from '../sockets/close-socket.ts'
import { ClientExchanges, type ConnectionSides } from './client-exchanges.ts'
import { putDispatchersBack } from './fresh-dispatcher.ts'
import { HeldLiveSide } from './held-live-side.ts'
import { mayBeRequest } from './http-heads.ts'
import { IdleLimit } from './idle-limit.ts'
import { LiveConnection, type LiveSide, type LiveSink } from './live-connection.ts'
import { OtherProtocol } from './other-protocol.ts'
import { webSocketKey } from './protocols.ts'
import { refusal } from './refusal.ts'
import { startSupporting } from './supporting.ts'
import type { Target } from './target.ts'

const NETWORK = label('network')

/**
 * A connection whose client holds what `make` returns. `open` makes the real one; a replay never calls it.
 */
export function openConnection<S extends ClientSocket>(
  session: Session,
  target: Target,
  make: (ends: SocketEnds) => S,
  open: () => RealSocket,
): OpenConnection<S> {
  return new Connection(session, target, make, open)
}

/** What TLS over a connection needs of it. */
export type OpenConnection<S extends ClientSocket = ClientSocket> = {
  readonly target: Target
  readonly socket: S
  destroy(): void
  /** Called when the client has let go of the connection. */
  onDestroyed(callback: () => void): void
  /** Something else reads and writes the connection from here on. The real socket, in a recording. */
  handOver(): RealSocket | null
}

/** Addresses to which a connection was opened. */
const addresses = sessionField(() => new Set<string>())

const connections = sessionField(() => new Set<Connection>())

/**
 * The session has ended. Its connections must not serve another one: a client's pool would reuse them. Idle
 * ones are closed now, others after their last response.
 */
export function retireConnections(session: Session): void {
  putDispatchersBack(session)
  for (const connection of connections.get(session)) connection.retire()
}

class Connection<S extends ClientSocket = ClientSocket> implements SocketEnds, OpenConnection<S> {
  readonly socket: S
  readonly target: Target
  readonly #session: Session
  readonly #address: string
  readonly #exchanges: ClientExchanges
  readonly #other: OtherProtocol
  readonly #idle: IdleLimit
  readonly #effect: Effect | null
  readonly #live: LiveSide | null
  readonly #login: LoginState = { values: [] }
  #hasSent = false
  #protocol: 'http' | 'other' | 'released' = 'http'
  #isRetired = false
  readonly #whenDestroyed: (() => void)[] = []

  constructor(session: Session, target: Target, make: (ends: SocketEnds) => S, open: () => RealSocket) {
    this.#session = session
    this.target = target
    this.#address = `${target.scheme}://${target.name}`
    this.#idle = new IdleLimit(session, () => this.socket.timedOut())
    this.socket = make(this)
    const sides: ConnectionSides = {
      session,
      target,
      socket: this.socket,
      login: this.#login,
      live: () => this.#live,
      give: (bytes) => this.#give(bytes),
      arrive: (outcome) => this.#effect?.arrive(outcome),
    }
    const moved = (): void => this.#idle.moved()
    this.#other = new OtherProtocol(sides, moved)
    this.#exchanges = new ClientExchanges(sides, {
      takenOver: (head, protocol) => {
        if (protocol.toLowerCase() === 'upgrade to websocket')
          this.#other.webSocket = webSocketKey(head, target)
      },
      moved,
      finished: () => {
        if (this.#isRetired) realNextTick(() => this.retire())
      },
    })
    this.#effect = startSupporting(
      session,
      NETWORK,
      `connect ${this.#address}`,
      (outcome) => this.#receive(outcome),
      true,
    )
    this.#live = this.#effect?.isLive === true || session.mayServe === true ? this.#openLive(open) : null
    if (this.#effect !== null) addresses.get(session).add(this.#address)
    if (this.#effect === null) realNextTick(() => this.socket.connected({}))
    connections.get(session).add(this)
  }

  retire(): void {
    this.#isRetired = true
    if (this.#exchanges.isEmpty && this.#protocol === 'http') this.socket.destroy()
  }

  destroy(): void {
    this.socket.destroy()
  }

  onDestroyed(callback: () => void): void {
    this.#whenDestroyed.push(callback)
  }

  handOver(): RealSocket | null {
    this.#other.close()
    this.#protocol = 'released'
    return this.#session.isLive(NETWORK) ? (this.#live?.handOver() ?? null) : null
  }

  write(bytes: Uint8Array): boolean {
    const isFirst = !this.#hasSent
    this.#hasSent = true
    if (this.#protocol === 'other') return this.#other.write(bytes, isFirst)
    // First, so that what is held is there when it is decided whether it goes out.
    this.#live?.write(bytes)
    if (this.#protocol === 'released') return true
    const unread = !isFirst || mayBeRequest(bytes) ? this.#exchanges.push(bytes) : bytes
    if (unread === null) return this.#exchanges.mayWriteOn()
    this.#startOther(unread)
    return true
  }

  end(): void {
    this.#other.sendEnd()
    this.#live?.end()
  }

  wantsMore(): void {
    this.#live?.resume()
  }

  destroyed(isReset: boolean): void {
    connections.get(this.#session).delete(this)
    this.#idle.clear()
    // Only where nothing else can show it: a request or bytes over a connection that the tape does not have
    // are a divergence of their own, and a pool may open one more connection to the same server.
    const isUsed = this.#exchanges.isUsed || this.#protocol === 'other'
    if (this.#effect === null && !isUsed && !addresses.get(this.#session).has(this.#address))
      refusal(this.#session, `connect ${this.#address}`)
    this.#effect?.close()
    this.#other.close()
    this.#exchanges.destroyed()
    this.#live?.destroy(closingOf(isReset, this.socket))
    for (const callback of this.#whenDestroyed.splice(0)) callback()
  }

  setRef(ref: boolean): void {
    this.#effect?.setRef(ref)
    this.#other.setRef(ref)
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

  #give(bytes: Uint8Array): void {
    if (!this.socket.receiveBytes(bytes)) this.#live?.pause()
  }

  /** An outcome of the connection itself: it is open, it is answered early, it is over. */
  #receive(outcome: Outcome): void {
    this.#idle.moved()
    switch (outcome.type) {
      case 'chunk':
        if (this.socket.connecting) this.#connected(factsFrom(outcome.bytes))
        else {
          this.#live?.taken(outcome.bytes.byteLength)
          this.#give(outcome.bytes)
        }
        return
      case 'completion':
        this.#speaksFirst()
        return
      case 'end':
        this.socket.receiveEnd()
        return
      case 'error':
        // Version 0.1 marked a server that speaks first, and did not record what it sent.
        if (outcome.error.code === 'REPRISE_GAP') this.socket.destroy(this.#other.refusal())
        else this.socket.destroy(errorFromFacts(outcome.error))
        return
      case 'head':
      case 'timer':
        throw new Error(`a connection cannot receive ${outcome.type}`)
    }
  }

  /**
   * What the program computes now is for this connection, also if it opened the connection in answer to another
   * one: TLS over a connection, the next broker of a cluster.
   */
  #connected(facts: ConnectionFacts): void {
    if (this.#session.sharesLogins === true) this.socket.connected(facts)
    else inAnswerTo(this.#login, () => this.socket.connected(facts))
  }

  /** The server has sent something before a request was whole. */
  #speaksFirst(): void {
    const exchange = this.#exchanges.unfinished()
    try {
      if (exchange !== undefined) this.#exchanges.begin(exchange)
      else if (this.#protocol === 'http') this.#startOther(this.#exchanges.release())
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #startOther(sent: Uint8Array): void {
    this.#protocol = 'other'
    this.#other.start(sent)
  }

  #openLive(open: () => RealSocket): LiveSide {
    const deliver = (outcome: Outcome): void => {
      // What the connection reports after an early answer must not overtake it.
      const early = this.#exchanges.early()
      if (early === undefined) this.#effect?.arrive(outcome)
      else early.afterwards.push(outcome)
    }
    const connected = (facts: ConnectionFacts): void =>
      deliver({ type: 'chunk', bytes: Buffer.from(`${JSON.stringify(facts)}\n`) })
    const isHeld = this.#session.mayServe === true
    const sink: LiveSink = {
      connected: isHeld ? () => undefined : connected,
      current: () => this.#exchanges.current(),
      deliver,
      serverSpeaks: (bytes) => {
        if (this.#hasSent && !this.#exchanges.isHolding) return false
        // A server of HTTP/2 need not wait for its client. The client begins without it.
        if (!this.#hasSent && startsLikeSettings(bytes)) return true
        deliver({ type: 'completion' })
        return true
      },
      raw: (outcome) => this.#other.arrived(outcome),
    }
    const start = (): LiveConnection => new LiveConnection(open, this.target.scheme === 'https', sink)
    if (!isHeld) return start()
    // Whether there is anything to connect to is not known before the first request: the client learns that
    // there is.
    if (this.#effect?.isLive === true) connected({})
    return new HeldLiveSide(start)
  }
}

/**
 * The facts are for the program; a replay does not rely on them. A tape that was edited by hand gives a
 * connection without any.
 */
function factsFrom(bytes: Uint8Array): ConnectionFacts {
  try {
    const facts: unknown = parseJson(Buffer.from(bytes).toString())
    return typeof facts === 'object' && facts !== null ? facts : {}
  } catch {
    return {}
  }
}
