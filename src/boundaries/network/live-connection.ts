/**
 * The real side of a recorded connection. It opens the socket outside the program's context, sends the
 * client's bytes as they are written, and reports received bytes as outcomes. Everything that reaches the
 * program from here goes through the sink.
 *
 * Decision 0141.
 */

import type { RealSocket } from '../../real/sockets.ts'
import { outside } from '../context.ts'
import { errorFacts } from '../errors.ts'
import { type HeaderList, MAX_WAITING_BYTES, type Outcome } from '../session.ts'
import type { ConnectionFacts } from '../sockets/client-socket.ts'
import type { Closing } from '../sockets/close-socket.ts'
import { RealSide } from '../sockets/real-side.ts'
import { closedByPeer, type Exchange } from './exchange.ts'
import { headBytes, isInterim, mayBeResponse, responseFraming, responseHead } from './http-heads.ts'
import { type Framing, MessageParser } from './message-parser.ts'

export type LiveSink = {
  connected(facts: ConnectionFacts): void
  /** The exchange whose response comes next. */
  current(): Exchange | null
  /** An outcome of the connection itself. */
  deliver(outcome: Outcome): void
  /** The server sent bytes before a request. Returns true if the connection is no HTTP/1 then. */
  serverSpeaks(bytes: Uint8Array): boolean
  /** Bytes received over a connection that is no HTTP/1. */
  raw(outcome: Outcome): void
}

/** What a connection needs of its real side. */
export type LiveSide = {
  write(bytes: Uint8Array): void
  end(): void
  destroy(closing: Closing): void
  setRef(ref: boolean): void
  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void
  /** From now on the connection is a stream of bytes. */
  pass(): void
  /** Calls back when everything that was written has left the process. */
  whenDrained(drained: () => void): void
  /** The real socket, which something else uses from now on. */
  handOver(): RealSocket
  pause(): void
  resume(): void
  taken(bytes: number): void
  /**
   * The last written request has its effect: the session answers it itself, or not. `instead` is sent in its
   * place.
   */
  decided(served: boolean, instead?: Uint8Array | null): void
}

export class LiveConnection implements LiveSide {
  readonly #real: RealSide
  readonly #sink: LiveSink
  readonly #answers: MessageParser
  #mode: 'http' | 'unread' | 'raw' = 'http'
  #interim = false
  #begun = false
  #over = false
  #hasEnded = false
  #paused = false
  /** Whether the real socket is paused. Nothing else pauses it. */
  #isStopped = false
  #waitingBytes = 0
  #lookup: ConnectionFacts['lookup']

  constructor(open: () => RealSocket, tls: boolean, sink: LiveSink) {
    this.#sink = sink
    this.#answers = new MessageParser({
      head: (startLine, headers) => this.#head(startLine, headers),
      data: (bytes) => this.#data(bytes),
      end: (trailers) => this.#end(trailers),
    })
    const real = outside(open)
    this.#real = new RealSide(real, (bytes) => this.#came(bytes))
    // A program may have replaced methods of sockets or of all emitters.
    outside(() => {
      real.once('lookup', (error: Error | null, address: string, family: number, host: string) => {
        if (error === null) this.#lookup = { address, family, host }
      })
      real.once(tls ? 'secureConnect' : 'connect', () => {
        this.#real.readDirectly()
        sink.connected(factsOf(real, tls, this.#lookup))
      })
      real.once('end', () => this.#ended())
      real.on('error', (error: Error) => this.#failed(error))
      real.once('close', () => this.#closed())
    })
  }

  write(bytes: Uint8Array): void {
    this.#real.write(bytes)
  }

  end(): void {
    this.#real.end()
  }

  destroy(closing: Closing): void {
    this.#over = true
    this.#real.destroy(closing)
  }

  setRef(ref: boolean): void {
    this.#real.setRef(ref)
  }

  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void {
    this.#real.option(name, args)
  }

  pass(): void {
    this.#mode = 'raw'
  }

  whenDrained(drained: () => void): void {
    this.#real.whenDrained(drained)
  }

  handOver(): RealSocket {
    this.#over = true
    return this.#real.handOver()
  }

  decided(): void {
    // The written bytes have been sent already.
  }

  pause(): void {
    this.#paused = true
    this.#flow()
  }

  resume(): void {
    this.#paused = false
    this.#flow()
  }

  /** The client has received this many of the waiting bytes. */
  taken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#flow()
  }

  #flow(): void {
    const stop = this.#paused || this.#waitingBytes >= MAX_WAITING_BYTES
    if (stop === this.#isStopped) return
    this.#isStopped = stop
    this.#real.read(!stop)
  }

  #came(bytes: Uint8Array): void {
    if (this.#mode === 'http') {
      if (this.#sink.current() === null) {
        if (this.#sink.serverSpeaks(bytes)) this.#mode = 'raw'
      } else {
        const isOther = this.#answers.isBetween && !mayBeResponse(bytes)
        const unread = isOther ? bytes.slice() : this.#answers.push(bytes)
        if (unread === null) return
        this.#mode = 'unread'
        this.#wait({ type: 'chunk', bytes: unread })
        return
      }
    }
    const chunk = { type: 'chunk', bytes: bytes.slice() } as const
    if (!this.#isRaw()) {
      this.#wait(chunk)
      return
    }
    this.#waitingBytes += bytes.byteLength
    this.#sink.raw(chunk)
    this.#flow()
  }

  #isRaw(): boolean {
    return this.#mode === 'raw'
  }

  #wait(outcome: Extract<Outcome, { type: 'chunk' }>): void {
    this.#waitingBytes += outcome.bytes.byteLength
    this.#sink.deliver(outcome)
    this.#flow()
  }

  #head(startLine: string, headers: HeaderList): Framing | null {
    const exchange = this.#sink.current()
    const head = exchange === null ? null : responseHead(startLine, headers)
    if (exchange === null || head === null || head.status === 101) return null
    this.#interim = isInterim(head.status)
    // `100 Continue` arrives before the body that it requests: there is no effect yet that it could belong
    // to.
    if (this.#interim && exchange.effect === null) this.#wait({ type: 'chunk', bytes: headBytes(head) })
    else this.#answer(exchange, head)
    this.#begun = !this.#interim
    return responseFraming(exchange.head.method, head.status, headers)
  }

  #data(bytes: Uint8Array): void {
    const exchange = this.#sink.current()
    if (exchange === null) return
    this.#waitingBytes += bytes.byteLength
    this.#answer(exchange, { type: 'chunk', bytes: bytes.slice() })
    this.#flow()
  }

  #end(trailers: HeaderList): void {
    const exchange = this.#sink.current()
    if (this.#interim || exchange === null) {
      this.#interim = false
      return
    }
    this.#begun = false
    exchange.answered = true
    this.#answer(exchange, { type: 'end', trailers })
  }

  #answer(exchange: Exchange, outcome: Outcome): void {
    if (exchange.effect !== null) {
      exchange.effect.arrive(outcome)
      return
    }
    // The server responds to a request that is not whole yet. The connection reports that, and the effect
    // starts with the received part.
    if (exchange.early.length === 0) this.#sink.deliver({ type: 'completion' })
    exchange.early.push(outcome)
  }

  #failed(error: Error): void {
    if (this.#over) return
    this.#over = true
    if (this.#isRaw()) this.#sink.raw({ type: 'error', error: errorFacts(error) })
    else this.#stop({ type: 'error', error: errorFacts(error) })
  }

  /** The other side sends no more. A stream of bytes may still fail after that. */
  #ended(): void {
    if (!this.#isRaw()) this.#closed()
    else if (!this.#over && !this.#hasEnded) {
      this.#hasEnded = true
      this.#sink.raw({ type: 'end', trailers: [] })
    }
  }

  #closed(): void {
    if (this.#over) return
    if (this.#isRaw()) this.#ended()
    this.#over = true
    if (this.#isRaw()) return
    const rest = this.#answers.close()
    if (rest.type === 'end') return
    if (rest.type === 'cut' && rest.held.byteLength > 0) this.#wait({ type: 'chunk', bytes: rest.held })
    if (this.#mode === 'unread') this.#sink.deliver({ type: 'end', trailers: [] })
    else this.#stop(null)
  }

  /**
   * The connection has ended: in the middle of an exchange, or between two. Null means that the other side
   * closed it.
   */
  #stop(error: Extract<Outcome, { type: 'error' }> | null): void {
    const exchange = this.#sink.current()
    if (exchange === null || (exchange.effect === null && exchange.early.length === 0)) {
      this.#sink.deliver(error ?? { type: 'end', trailers: [] })
      return
    }
    exchange.answered = true
    this.#answer(exchange, error ?? { type: 'error', error: closedByPeer(this.#begun) })
  }
}

/** What a program can see of an open connection. */
export function factsOf(real: RealSocket, tls: boolean, lookup?: ConnectionFacts['lookup']): ConnectionFacts {
  const { remoteAddress, remoteFamily, remotePort, localAddress, localPort } = real
  const localFamily: unknown = Reflect.get(real, 'localFamily')
  return {
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
    ...(remoteFamily === undefined ? {} : { remoteFamily }),
    ...(remotePort === undefined ? {} : { remotePort }),
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(typeof localFamily === 'string' ? { localFamily } : {}),
    ...(localPort === undefined ? {} : { localPort }),
    ...(lookup === undefined ? {} : { lookup }),
    ...(tls ? { tls: tlsFacts(real) } : {}),
  }
}

function tlsFacts(real: RealSocket): NonNullable<ConnectionFacts['tls']> {
  const problem: unknown = real.authorizationError
  return {
    authorized: real.authorized === true,
    authorizationError: problem === null || problem === undefined ? null : String(problem),
    alpnProtocol: real.alpnProtocol ?? null,
    protocol: real.getProtocol?.() ?? null,
    cipher: real.getCipher?.() ?? null,
  }
}
