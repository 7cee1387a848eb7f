/**
 * A client's connection, the same in both modes: it stands between the socket that the client holds and the
 * session. The bytes that the client writes are read as requests; each is one effect, and its outcomes become
 * the bytes that the client's own parser expects. Keep-alive, pipelining, 'socket hang up', timeouts and
 * aborts are the client's own code.
 *
 * What is no HTTP/1, or stops being it (CONNECT, an upgrade), is one effect from there on: a stream of bytes.
 * TLS or HTTP/2 that the program makes itself of those bytes is a gap: passed on unrecorded, and refused in a
 * replay.
 *
 * Decision 0082.
 */
import { AsyncResource } from 'node:async_hooks'
import { label, parseJson } from '../../base/index.ts'
import { type RealSocket, realNextTick } from '../../real/sockets.ts'
import { errorFromFacts } from '../errors.ts'
import type { Effect, HeaderList, Outcome, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { ByteStream } from '../sockets/byte-stream.ts'
import type { ClientSocket, ConnectionFacts, SocketEnds } from '../sockets/client-socket.ts'
import { type Exchange, isClosedByPeer, newExchange } from './exchange.ts'
import { HeldLiveSide } from './held-live-side.ts'
import {
  bodyBytes,
  endBytes,
  headBytes,
  isInterim,
  mayBeRequest,
  type RequestHead,
  requestFraming,
  requestHead,
  requestUrl,
  responseFraming,
  startsLikeHttp2,
  takesConnectionOver,
} from './http-heads.ts'
import { IdleLimit } from './idle-limit.ts'
import { LiveConnection, type LiveSide, type LiveSink } from './live-connection.ts'
import { type Framing, MessageParser, values } from './message-parser.ts'
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
 * The session is over. Its connections must not serve anyone else: a client's pool would hand them to the
 * next one. Idle ones are closed now, others when their last answer is through.
 */
export function retireConnections(session: Session): void {
  for (const connection of connections.get(session)) connection.retire()
}

class Connection<S extends ClientSocket = ClientSocket> implements SocketEnds, OpenConnection<S> {
  readonly socket: S
  readonly target: Target
  readonly #session: Session
  readonly #requests: MessageParser
  readonly #exchanges: Exchange[] = []
  readonly #idle: IdleLimit
  readonly #resource = new AsyncResource('reprise.connection', { requireManualDestroy: true })
  readonly #effect: Effect | null
  readonly #live: LiveSide | null
  #sent = false
  /** How what crosses is recorded: as exchanges, as bytes, or not at all. */
  #stream: ByteStream | 'http' | 'gap' | 'handed over' = 'http'
  /** What came over a connection that is no HTTP/1, before its effect started. */
  #early: Outcome[] = []
  /** Chunks that the effect has and the client has not. */
  #waitingChunks = 0
  /** The effect of bytes that came before the connection turned out to be a gap. */
  #draining: ByteStream | null = null
  #retired = false
  #isUsed = false
  /** The key of the WebSocket that the program has asked for. */
  #webSocket: string | null = null
  readonly #whenDestroyed: (() => void)[] = []

  constructor(session: Session, target: Target, make: (ends: SocketEnds) => S, open: () => RealSocket) {
    this.#session = session
    this.target = target
    this.#idle = new IdleLimit(session, () => this.socket.timedOut())
    this.socket = make(this)
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
    if (this.#effect !== null) addresses.get(session).add(`${target.scheme}://${target.name}`)
    if (this.#effect === null) realNextTick(() => this.socket.connected({}))
    connections.get(session).add(this)
  }

  retire(): void {
    this.#retired = true
    if (this.#exchanges.length === 0 && this.#stream === 'http') this.socket.destroy()
  }

  destroy(): void {
    this.socket.destroy()
  }

  onDestroyed(callback: () => void): void {
    this.#whenDestroyed.push(callback)
  }

  handOver(): RealSocket | null {
    if (this.#stream instanceof ByteStream) this.#stream.close()
    this.#stream = 'handed over'
    return this.#live?.handOver() ?? null
  }

  write(bytes: Uint8Array): boolean {
    if (this.#stream instanceof ByteStream) return this.#writeRaw(this.#stream, bytes)
    // First, so that what is held is there when it is decided whether it goes out.
    this.#live?.write(bytes)
    if (this.#stream === 'http') {
      const unread = this.#sent || mayBeRequest(bytes) ? this.#requests.push(bytes) : bytes
      this.#sent = true
      if (unread !== null) this.#goRaw(unread)
    }
    return true
  }

  #writeRaw(stream: ByteStream, bytes: Uint8Array): boolean {
    const unreadable = this.#sent ? null : unreadableProtocol(bytes)
    this.#sent = true
    if (unreadable !== null) {
      this.#draining = stream
      this.#pass(unreadable)
      this.#live?.write(bytes)
      return true
    }
    stream.send(bytes)
    if (stream.isLive) this.#live?.write(bytes)
    return stream.written(bytes.byteLength)
  }

  end(): void {
    if (this.#stream instanceof ByteStream) this.#stream.sendEnd()
    this.#live?.end()
  }

  wantsMore(): void {
    this.#live?.resume()
  }

  destroyed(): void {
    connections.get(this.#session).delete(this)
    this.#idle.clear()
    // Only where nothing else can show it: a request or bytes over a connection that the tape does not have
    // are a divergence of their own, and a pool may open one more connection to the same server.
    const address = `${this.target.scheme}://${this.target.name}`
    if (this.#effect === null && !this.#isUsed && !addresses.get(this.#session).has(address))
      refusal(this.#session, `connect ${address}`)
    this.#effect?.close()
    if (this.#stream instanceof ByteStream) this.#stream.close()
    // An answer that the client has had whole is finished, also on the tape.
    for (const exchange of this.#exchanges) if (!exchange.whole) exchange.effect?.close()
    this.#live?.destroy(this.socket.writableFinished)
    for (const callback of this.#whenDestroyed.splice(0)) callback()
  }

  setRef(ref: boolean): void {
    this.#effect?.setRef(ref)
    if (this.#stream instanceof ByteStream) this.#stream.setRef(ref)
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
    const takeover = takesConnectionOver(head)
    if (takeover?.toLowerCase() === 'upgrade to websocket') this.#webSocket = webSocketKey(head, this.target)
    if (takeover !== null) return null
    this.#isUsed = true
    this.#exchanges.push(newExchange(head, requestUrl(head, this.target.scheme, this.target.name)))
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
        return
      case 'completion':
        this.#speaksFirst()
        return
      case 'end':
        this.socket.receiveEnd()
        return
      case 'error':
        // Version 0.1 marked a server that speaks first, and did not record what it said.
        if (outcome.error.code === 'REPRISE_GAP') this.socket.destroy(this.#refusal())
        else this.socket.destroy(errorFromFacts(outcome.error))
        return
      case 'head':
      case 'timer':
        throw new Error(`a connection cannot receive ${outcome.type}`)
    }
  }

  /** The server has sent something before a request was whole. */
  #speaksFirst(): void {
    const exchange = this.#exchanges.find(({ effect }) => effect === null)
    try {
      if (exchange !== undefined) this.#begin(exchange)
      else if (this.#stream === 'http') this.#goRaw(this.#requests.release())
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #openLive(open: () => RealSocket): LiveSide {
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
        if (this.#sent && !this.#requests.isHolding) return false
        deliver({ type: 'completion' })
        return true
      },
      raw: (outcome) => this.#rawArrived(outcome),
    }
    const start = (): LiveConnection => new LiveConnection(open, this.target.scheme === 'https', sink)
    if (!held) return start()
    // Whether there is anything to connect to is not known before the first request: the client learns that
    // there is.
    connected({})
    return new HeldLiveSide(start)
  }

  /**
   * From here on the connection is a stream of bytes, `sent` first. Throws if the recording had none, or sent
   * something else.
   */
  #goRaw(sent: Uint8Array): void {
    this.#isUsed = true
    const unreadable = unreadableProtocol(sent)
    if (unreadable !== null) {
      this.#pass(unreadable)
      return
    }
    const key = this.#webSocket ?? streamKey(this.target)
    const sides = {
      socket: this.socket,
      give: (bytes: Uint8Array, wireBytes = bytes.byteLength) => {
        this.#idle.moved()
        this.#live?.taken(wireBytes)
        this.#give(bytes)
        this.#waitingChunks -= 1
        if (this.#stream === 'gap') this.#giveUnrecorded()
      },
      whenDrained: (drained: () => void) => this.#live?.whenDrained(drained),
    }
    const stream = new ByteStream(this.#session, key, sides, this.#webSocket !== null)
    this.#stream = stream
    if (stream.isLive) this.#live?.pass()
    if (sent.byteLength > 0) stream.send(sent)
    for (const outcome of this.#early.splice(0)) this.#rawArrived(outcome)
  }

  /**
   * The program encrypts or compresses by itself: what crosses has no meaning for a replay, which refuses it,
   * and secrets in it could not be found.
   */
  #pass(protocol: string): void {
    if (this.#live === null) throw this.#refusal(protocol)
    this.#session.gap(NETWORK, this.#gapReason(protocol))
    this.#stream = 'gap'
    this.#live.pass()
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

  /** What came over a connection that is no HTTP/1. */
  #rawArrived(outcome: Outcome): void {
    if (this.#stream instanceof ByteStream) {
      if (outcome.type === 'chunk') this.#waitingChunks += 1
      this.#stream.arrive(outcome)
    } else {
      this.#early.push(outcome)
      if (this.#stream === 'gap') this.#resource.runInAsyncScope(() => this.#giveUnrecorded())
    }
  }

  #unrecorded(outcome: Outcome): void {
    if (outcome.type === 'chunk') this.#give(outcome.bytes)
    else if (outcome.type === 'error') this.socket.destroy(errorFromFacts(outcome.error))
    else this.socket.receiveEnd()
  }

  #gapReason(protocol: string): string {
    return `${protocol} that the program makes itself: ${this.target.name}`
  }

  #refusal(protocol = 'TLS'): Error {
    return refusal(this.#session, this.#gapReason(protocol))
  }
}

/** `socket tcp://127.0.0.1:5432`, `socket tls://…`, `socket unix:/run/x.sock`. */
function streamKey({ scheme, name }: Target): string {
  const address = name.startsWith('unix:') ? name : `//${name}`
  const isPlain = scheme === 'http'
  if (name.startsWith('unix:')) return `socket ${isPlain ? '' : 'tls+'}${address}`
  return `socket ${isPlain ? 'tcp' : 'tls'}:${address}`
}

/** The address, and the sub-protocols that the program asks for. */
function webSocketKey(head: RequestHead, { scheme, name }: Target): string {
  const url = requestUrl(head, scheme, name).replace(/^http/, 'ws')
  const protocols = values(head.headers, 'sec-websocket-protocol').join(',')
  return `websocket ${url}${protocols === '' ? '' : ` ${protocols}`}`
}

/**
 * A client hello of TLS: a record of type 22, version 3. HTTP/2 begins with its preface; it compresses
 * headers, so that a secret in one would be stored unseen.
 */
function unreadableProtocol(bytes: Uint8Array): string | null {
  if (bytes[0] === 0x16 && bytes[1] === 0x03) return 'TLS'
  return startsLikeHttp2(bytes) ? 'HTTP/2' : null
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
