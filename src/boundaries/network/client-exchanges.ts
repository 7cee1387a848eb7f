/**
 * The HTTP/1 exchanges over one connection of a client. The bytes that the client writes are read as requests;
 * each is one effect, and its outcomes become the bytes that the client's own parser expects.
 */
import { label } from '../../base/index.ts'
import { realNextTick } from '../../real/sockets.ts'
import { errorFromFacts } from '../errors.ts'
import type { LoginState } from '../gate.ts'
import { type HeaderList, MAX_WAITING_BYTES, type Outcome, type Session } from '../session.ts'
import type { ClientSocket } from '../sockets/client-socket.ts'
import { type Exchange, isClosedByPeer, newExchange } from './exchange.ts'
import {
  bodyBytes,
  endBytes,
  headBytes,
  isInterim,
  type RequestHead,
  requestFraming,
  requestHead,
  requestUrl,
  responseFraming,
  takesConnectionOver,
} from './http-heads.ts'
import type { LiveSide } from './live-connection.ts'
import { type Framing, MessageParser } from './message-parser.ts'
import { outgoingBody, requestBytes } from './outgoing-body.ts'
import { PendingBody } from './pending-body.ts'
import { startSupporting } from './supporting.ts'
import type { Target } from './target.ts'

const NETWORK = label('network')

/** What the parts of a connection share. */
export type ConnectionSides = {
  readonly session: Session
  readonly target: Target
  readonly socket: ClientSocket
  /** What the program computes from secrets for this connection. */
  readonly login: LoginState
  /** The real side; null in a replay. */
  live(): LiveSide | null
  /** Bytes go to the client. */
  give(bytes: Uint8Array): void
  /** An outcome of the connection itself has come. */
  arrive(outcome: Outcome): void
}

type ExchangeEvents = {
  /** The client asks for another protocol over this connection. */
  readonly takenOver: (head: RequestHead, protocol: string) => void
  readonly moved: () => void
  readonly finished: () => void
}

export class ClientExchanges {
  readonly #sides: ConnectionSides
  readonly #events: ExchangeEvents
  readonly #requests: MessageParser
  readonly #open: Exchange[] = []
  /** Whether there was a request. */
  isUsed = false

  constructor(sides: ConnectionSides, events: ExchangeEvents) {
    this.#sides = sides
    this.#events = events
    this.#requests = new MessageParser({
      head: (startLine, headers) => this.#head(startLine, headers),
      data: (bytes) => this.#body(bytes),
      end: () => this.begin(this.#open.at(-1)),
    })
  }

  get isEmpty(): boolean {
    return this.#open.length === 0
  }

  /** Whether bytes of a request that is not whole yet are held. */
  get isHolding(): boolean {
    return this.#requests.isHolding
  }

  /** Bytes that the client writes. Returns those that are no HTTP/1; null if all are. */
  push(bytes: Uint8Array): Uint8Array | null {
    return this.#requests.push(bytes)
  }

  /** Stops reading, and gives back the bytes that are held. */
  release(): Uint8Array {
    return this.#requests.release()
  }

  /** The exchange whose answer comes next. */
  current(): Exchange | null {
    return this.#open.find(({ answered }) => !answered) ?? null
  }

  /** An exchange whose request is not whole. */
  unfinished(): Exchange | undefined {
    return this.#open.find(({ effect }) => effect === null)
  }

  /** An exchange that was answered before its request was whole. */
  early(): Exchange | undefined {
    return this.#open.find(({ effect, early }) => effect === null && early.length > 0)
  }

  /**
   * Whether the client may write more of a body. If not, it waits until the peer has taken what it has
   * written: that moment is an outcome, so a replay waits at the same place.
   */
  mayWriteOn(): boolean {
    const { session, socket } = this.#sides
    const exchange = this.#open.at(-1)
    if (exchange === undefined || exchange.effect !== null || exchange.waitingBytes < MAX_WAITING_BYTES)
      return true
    exchange.waitingBytes = 0
    const drained = (): void => {
      exchange.drain?.close()
      exchange.drain = null
      socket.drained()
    }
    // A tape from before such waits, or a request that an older tape may answer: nothing to wait for.
    if (session.mayServe === true) return true
    exchange.drain = startSupporting(session, NETWORK, `drain ${exchange.url}`, drained, true)
    if (exchange.drain?.isLive === true) {
      const { drain } = exchange
      this.#sides.live()?.whenDrained(() => drain.arrive({ type: 'completion' }))
    }
    return exchange.drain === null
  }

  /** Starts the effect of a request that is whole, or answered before it is. */
  begin(exchange: Exchange | undefined): void {
    if (exchange === undefined || exchange.effect !== null) return
    const { session, socket, arrive } = this.#sides
    const { method, headers } = exchange.head
    if (exchange.drain !== null) {
      // Answered before it was whole: the client need not wait for the peer to take more.
      exchange.drain.close()
      exchange.drain = null
      realNextTick(() => socket.drained())
    }
    const request = { method, url: exchange.url, headers, ...exchange.body.take() }
    const effect = session.start(
      NETWORK,
      `${method} ${exchange.url}`,
      (outcome) => this.#answer(exchange, outcome),
      { request },
    )
    exchange.effect = effect
    if (!effect.isLive) exchange.answered = true
    const other = effect.isLive ? outgoingBody(session, request) : null
    const instead = other === null ? null : requestBytes(exchange.head, other)
    this.#sides.live()?.decided(!effect.isLive, instead)
    for (const outcome of exchange.early.splice(0)) effect.arrive(outcome)
    for (const outcome of exchange.afterwards.splice(0)) arrive(outcome)
  }

  /** The client has let go of the connection. */
  destroyed(): void {
    // An answer that the client has had whole is finished, also on the tape.
    for (const exchange of this.#open) {
      if (!exchange.whole) exchange.effect?.close()
      exchange.drain?.close()
      if (exchange.effect === null) exchange.body.drop()
    }
  }

  #head(startLine: string, headers: HeaderList): Framing | null {
    const head = requestHead(startLine, headers)
    if (head === null) return null
    const protocol = takesConnectionOver(head)
    if (protocol !== null) {
      this.#events.takenOver(head, protocol)
      return null
    }
    const { session, target } = this.#sides
    this.isUsed = true
    const url = requestUrl(head, target.scheme, target.name)
    this.#open.push(newExchange(head, url, new PendingBody(session, headers)))
    return requestFraming(headers)
  }

  #body(bytes: Uint8Array): void {
    const exchange = this.#open.at(-1)
    if (exchange === undefined || exchange.effect !== null) return
    exchange.body.add(bytes)
    exchange.waitingBytes += bytes.byteLength
  }

  /** Encodes an outcome of one exchange as the bytes that the client expects. */
  #answer(exchange: Exchange, outcome: Outcome): void {
    const { socket, give } = this.#sides
    this.#events.moved()
    switch (outcome.type) {
      case 'head':
        if (!isInterim(outcome.status)) {
          exchange.framing = responseFraming(exchange.head.method, outcome.status, outcome.headers)
          exchange.toCome = exchange.framing.type === 'length' ? exchange.framing.bytes : 0
          exchange.whole =
            exchange.framing.type === 'none' || (exchange.framing.type === 'length' && exchange.toCome === 0)
        }
        give(headBytes(outcome))
        return
      case 'chunk':
        if (exchange.effect?.isLive === true) this.#sides.live()?.taken(outcome.bytes.byteLength)
        exchange.toCome -= outcome.bytes.byteLength
        exchange.whole = exchange.framing.type === 'length' && exchange.toCome <= 0
        if (outcome.bytes.byteLength > 0) give(bodyBytes(exchange.framing, outcome.bytes))
        return
      case 'end':
        this.#finish(exchange)
        if (exchange.framing.type === 'until-close') socket.receiveEnd()
        else give(endBytes(exchange.framing, outcome.trailers))
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
    this.#open.splice(this.#open.indexOf(exchange), 1)
    this.#events.finished()
  }
}
