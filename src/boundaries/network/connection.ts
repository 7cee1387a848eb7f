/**
 * A client's connection, the same in both modes: it stands between the socket that the client holds and the
 * session. The bytes that the client writes are read as requests; each is one effect, and its outcomes become
 * the bytes that the client's own parser expects. Keep-alive, pipelining, 'socket hang up', timeouts and
 * aborts are the client's own code.
 *
 * What is no HTTP/1, or stops being it (CONNECT, an upgrade), is a gap: passed on unrecorded, and refused in
 * a replay.
 *
 * Decision 0082.
 */
import { AsyncResource } from 'node:async_hooks'
import { label, parseJson } from '../../base/index.ts'
import { type RealSocket, realNextTick } from '../../real/sockets.ts'
import { errorFromFacts } from '../errors.ts'
import type { Effect, ErrorFacts, HeaderList, Outcome, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { type Exchange, isClosedByPeer, newExchange } from './exchange.ts'
import { HeldLiveSide } from './held-live-side.ts'
import {
  bodyBytes,
  endBytes,
  headBytes,
  isInterim,
  mayBeRequest,
  requestFraming,
  requestHead,
  requestUrl,
  responseFraming,
  takesConnectionOver,
} from './http-heads.ts'
import { IdleLimit } from './idle-limit.ts'
import { LiveConnection, type LiveSide, type LiveSink } from './live-connection.ts'
import { type Framing, MessageParser } from './message-parser.ts'
import {
  type ConnectionFacts,
  type SocketEnds,
  type StandInOptions,
  StandInSocket,
} from './stand-in-socket.ts'
import { startSupporting } from './supporting.ts'
import type { Target } from './target.ts'

const NETWORK = label('network')

/** The socket for the client. `open` makes the real one; a replay never calls it. */
export function openConnection(
  session: Session,
  target: Target,
  options: StandInOptions,
  open: () => RealSocket,
): StandInSocket {
  return new Connection(session, target, options, open).socket
}

const connections = sessionField(() => new Set<Connection>())

/**
 * The session is over. Its connections must not serve anyone else: a client's pool would hand them to the
 * next one. Idle ones are closed now, others when their last answer is through.
 */
export function retireConnections(session: Session): void {
  for (const connection of connections.get(session)) connection.retire()
}

class Connection implements SocketEnds {
  readonly socket: StandInSocket
  readonly #session: Session
  readonly #target: Target
  readonly #requests: MessageParser
  readonly #exchanges: Exchange[] = []
  readonly #idle: IdleLimit
  readonly #resource = new AsyncResource('reprise.connection', { requireManualDestroy: true })
  readonly #effect: Effect | null
  readonly #live: LiveSide | null
  #sent = false
  #raw = false
  /**
   * What came unrecorded before the client knew of the connection, or before the tape says that there is a
   * gap.
   */
  #marking = false
  #early: (() => void)[] = []
  #takeover: string | null = null
  #retired = false

  constructor(session: Session, target: Target, options: StandInOptions, open: () => RealSocket) {
    this.#session = session
    this.#target = target
    this.socket = new StandInSocket(options, this)
    this.#idle = new IdleLimit(session, () => void this.socket.emit('timeout'))
    this.#requests = new MessageParser({
      head: (startLine, headers) => this.#requestHead(startLine, headers),
      data: (bytes) => void this.#exchanges.at(-1)?.body.push(bytes),
      end: () => this.#begin(this.#exchanges.at(-1)),
    })
    this.#effect = startSupporting(
      session,
      NETWORK,
      `connect ${target.scheme}://${target.name}`,
      (outcome) => this.#receive(outcome),
      true,
    )
    this.#live = this.#effect?.isLive === true ? this.#openLive(open) : null
    if (this.#effect === null) realNextTick(() => this.socket.connected({}))
    connections.get(session).add(this)
  }

  retire(): void {
    this.#retired = true
    if (this.#exchanges.length === 0 && !this.#raw) this.socket.destroy()
  }

  write(bytes: Uint8Array): void {
    // First, so that what is held is there when it is decided whether it goes out.
    this.#live?.write(bytes)
    if (!this.#raw) {
      const unread = this.#sent || mayBeRequest(bytes) ? this.#requests.push(bytes) : bytes
      this.#sent = true
      if (unread !== null) this.#goRaw()
    }
  }

  end(): void {
    this.#live?.end()
  }

  wantsMore(): void {
    this.#live?.resume()
  }

  destroyed(): void {
    connections.get(this.#session).delete(this)
    this.#idle.clear()
    this.#effect?.close()
    // An answer that the client has had whole is finished, also on the tape.
    for (const exchange of this.#exchanges) if (!exchange.whole) exchange.effect?.close()
    this.#live?.destroy(this.socket.writableFinished)
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

  #requestHead(startLine: string, headers: HeaderList): Framing | null {
    const head = requestHead(startLine, headers)
    if (head === null) return null
    this.#takeover = takesConnectionOver(head)
    if (this.#takeover !== null) return null
    this.#exchanges.push(newExchange(head, requestUrl(head, this.#target.scheme, this.#target.name)))
    return requestFraming(headers)
  }

  #begin(exchange: Exchange | undefined): void {
    if (exchange === undefined || exchange.effect !== null) return
    const { method, headers } = exchange.head
    const body = exchange.body.length === 0 ? null : Buffer.concat(exchange.body)
    exchange.body.length = 0
    const request = { method, url: exchange.url, headers, body }
    const effect = this.#session.start(
      NETWORK,
      `${method} ${exchange.url}`,
      (outcome) => this.#answer(exchange, outcome),
      { request },
    )
    exchange.effect = effect
    if (!effect.isLive) exchange.answered = true
    this.#live?.decided(!effect.isLive)
    for (const outcome of exchange.early.splice(0)) effect.arrive(outcome)
    for (const outcome of exchange.afterwards.splice(0)) this.#effect?.arrive(outcome)
  }

  /** An outcome of one exchange, as the bytes that say the same. */
  #answer(exchange: Exchange, outcome: Outcome): void {
    const { socket } = this
    this.#idle.moved()
    switch (outcome.type) {
      case 'head':
        if (!isInterim(outcome.status)) {
          exchange.framing = responseFraming(exchange.head.method, outcome.status, outcome.headers)
          exchange.toCome = exchange.framing.type === 'length' ? exchange.framing.bytes : 0
          exchange.whole =
            exchange.framing.type === 'none' || (exchange.framing.type === 'length' && exchange.toCome === 0)
        }
        this.#give(headBytes(outcome))
        return
      case 'chunk':
        if (exchange.effect?.isLive === true) this.#live?.taken(outcome.bytes.byteLength)
        exchange.toCome -= outcome.bytes.byteLength
        exchange.whole = exchange.framing.type === 'length' && exchange.toCome <= 0
        if (outcome.bytes.byteLength > 0) this.#give(bodyBytes(exchange.framing, outcome.bytes))
        return
      case 'end':
        this.#finish(exchange)
        if (exchange.framing.type === 'until-close') socket.receiveEnd()
        else this.#give(endBytes(exchange.framing, outcome.trailers))
        return
      case 'error':
        this.#finish(exchange)
        if (isClosedByPeer(outcome.error)) socket.receiveEnd()
        else socket.destroy(errorFromFacts(outcome.error))
        return
      case 'timer':
      case 'completion':
        throw new Error(`an exchange cannot receive ${outcome.type}`)
    }
  }

  #finish(exchange: Exchange): void {
    exchange.effect?.close()
    this.#exchanges.splice(this.#exchanges.indexOf(exchange), 1)
    if (this.#retired) realNextTick(() => this.retire())
  }

  #give(bytes: Uint8Array): void {
    if (!this.socket.receiveBytes(bytes)) this.#live?.pause()
  }

  /**
   * An outcome of the connection itself: it stands, it is answered early, it speaks out of turn, it is over.
   */
  #receive(outcome: Outcome): void {
    this.#idle.moved()
    switch (outcome.type) {
      case 'chunk':
        if (this.socket.connecting) this.socket.connected(factsFrom(outcome.bytes))
        else {
          this.#live?.taken(outcome.bytes.byteLength)
          this.#give(outcome.bytes)
        }
        if (!this.#marking) this.#giveEarly()
        return
      case 'completion':
        this.#beginEarly()
        return
      case 'end':
        this.socket.receiveEnd()
        return
      case 'error':
        if (isGapMark(outcome.error)) this.#marked()
        else this.socket.destroy(errorFromFacts(outcome.error))
        return
      case 'head':
      case 'timer':
        throw new Error(`a connection cannot receive ${outcome.type}`)
    }
  }

  #beginEarly(): void {
    try {
      this.#begin(this.#exchanges.find(({ effect }) => effect === null))
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #openLive(open: () => RealSocket): LiveSide {
    const passing = (body: () => void): void => {
      if (this.socket.connecting || this.#marking) this.#early.push(body)
      else this.#resource.runInAsyncScope(body)
    }
    const deliver = (outcome: Outcome): void => {
      // What the connection says after an early answer must not overtake it.
      const early = this.#exchanges.find((exchange) => exchange.effect === null && exchange.early.length > 0)
      if (early === undefined) this.#effect?.arrive(outcome)
      else early.afterwards.push(outcome)
    }
    const connected = (facts: ConnectionFacts): void =>
      deliver({ type: 'chunk', bytes: Buffer.from(`${JSON.stringify(facts)}\n`) })
    const held = this.#session.mayServe === true
    const sink: LiveSink = {
      connected: held ? () => undefined : connected,
      current: () => this.#exchanges.find(({ answered }) => !answered) ?? null,
      deliver,
      serverSpeaks: () => {
        if (this.#sent) return
        this.#marking = true
        deliver({ type: 'error', error: GAP_MARK })
        this.#goRaw()
      },
      raw: {
        data: (bytes) => passing(() => this.#give(bytes)),
        end: () => passing(() => this.socket.receiveEnd()),
        error: (error) => passing(() => void this.socket.destroy(error)),
      },
    }
    const start = (): LiveConnection => new LiveConnection(open, this.#target.scheme === 'https', sink)
    if (!held) return start()
    // Whether there is anything to connect to is not known before the first request: the client learns that
    // there is.
    connected({})
    return new HeldLiveSide(start)
  }

  /** From here on nothing is recorded. Throws in a replay. */
  #goRaw(): void {
    if (this.#live === null) throw this.#refusal()
    this.#session.gap(NETWORK, this.#gapReason())
    this.#raw = true
    this.#live?.pass()
  }

  #gapReason(): string {
    return `${this.#takeover ?? 'a connection that is no HTTP/1'}: ${this.#target.name}`
  }

  /**
   * In a recording what waited for the mark goes on to the client; in a replay there is no peer that would
   * speak.
   */
  #marked(): void {
    if (this.#live === null) this.socket.destroy(this.#refusal())
    this.#marking = false
    this.#giveEarly()
  }

  #giveEarly(): void {
    for (const late of this.#early.splice(0)) late()
  }

  #refusal(): Error {
    return refusal(this.#session, this.#gapReason())
  }
}

/**
 * The facts are the program's to see, not the replay's to rely on: a tape that was edited by hand gives a
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

/** Left on the tape where a server spoke first: what it said is not there. */
const GAP_MARK: ErrorFacts = {
  constructorName: 'Error',
  name: 'Error',
  message: 'the server spoke first',
  code: 'REPRISE_GAP',
}

function isGapMark(error: ErrorFacts): boolean {
  return error.code === 'REPRISE_GAP'
}

/**
 * The divergence of a program that asks, in a replay, for what cannot be recorded: thrown by the session, and
 * kept.
 */
export function refusal(session: Session, what: string): Error {
  try {
    session.start(NETWORK, what, () => undefined)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
  return new Error(`${what}: this cannot be replayed`)
}
