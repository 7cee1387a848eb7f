/**
 * The real side of one connection to a recorded server: reads requests out of the bytes of the client and
 * reports them as outcomes. Bytes that are no HTTP/1, and those after an upgrade, are reported as bytes.
 *
 * A WebSocket is read message by message. The client's offer to compress is not passed on: what the program's
 * server compresses could not be read without its window.
 *
 * Decisions 0377, 0455 and 0605.
 */
import type { RealSocket } from '../../real/sockets.ts'
import { outside } from '../context.ts'
import { errorFacts } from '../errors.ts'
import type { Http2Sides } from '../http2/http2-sides.ts'
import { closedByPeer } from '../network/exchange.ts'
import { mayBeRequest, type RequestHead, RequestHeads, startsLikeHttp2 } from '../network/http-heads.ts'
import { type Framing, MessageParser } from '../network/message-parser.ts'
import { type HeaderList, type IncomingRequest, MAX_WAITING_BYTES, type Outcome } from '../session.ts'
import type { Closing } from '../sockets/close-socket.ts'
import { RealSide } from '../sockets/real-side.ts'
import { MessageReader } from '../websocket/messages.ts'
import { bufferOf, messageOutcome } from '../websocket/web-socket-sides.ts'
import { rejectsHttp2 } from './server-protocol.ts'

export class LiveClient {
  readonly #real: RealSide
  readonly #arrive: (outcome: Outcome) => void
  readonly #server: { listenerCount(event: string): number }
  readonly #requests: MessageParser
  #hasReceived = false
  #isRaw = false
  /** The head of a request has arrived, its end has not. */
  #isInRequest = false
  /** A request of which nothing was reported yet: it may be whole in these bytes. */
  #begun: IncomingRequest | null = null
  #begunBody: Uint8Array | null = null
  readonly #heads = new RequestHeads()
  /** The bytes that the system has given, while they are read. */
  #read: Uint8Array = NOTHING
  /** So many bytes has the begun head if it may be passed on as it came; else 0. */
  #begunHeadBytes = 0
  readonly #http2: Http2Sides
  #isHttp2 = false
  #isOver = false
  #isPaused = false
  /** Whether the real socket is paused. Nothing else pauses it. */
  #isStopped = false
  #waitingBytes = 0
  /** For a connection that became a WebSocket. */
  #messages: MessageReader | null = null

  constructor(
    real: RealSocket,
    arrive: (outcome: Outcome) => void,
    server: { listenerCount(event: string): number },
    http2: Http2Sides,
  ) {
    this.#http2 = http2
    this.#real = new RealSide(real, (bytes) => this.#came(bytes))
    this.#real.readDirectly()
    this.#arrive = arrive
    this.#server = server
    this.#requests = new MessageParser({
      head: (startLine, headers) => this.#head(startLine, headers),
      data: (bytes) => this.#data(bytes),
      end: (trailers) => this.#end(trailers),
    })
    // A program may have replaced methods of sockets or of all emitters.
    outside(() => {
      real.once('end', () => this.#closed(null))
      real.on('error', (error: Error) => this.#closed(error))
      real.once('close', () => this.#closed(null))
    })
  }

  write(bytes: Uint8Array): void {
    this.#real.write(bytes)
  }

  end(): void {
    this.#real.end()
  }

  destroy(closing: Closing): void {
    this.#isOver = true
    this.#real.destroy(closing)
  }

  /** Calls back when everything that was written has left the process. */
  whenDrained(drained: () => void): void {
    this.#real.whenDrained(drained)
  }

  setRef(ref: boolean): void {
    this.#real.setRef(ref)
  }

  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void {
    this.#real.option(name, args)
  }

  pause(): void {
    this.#isPaused = true
    this.#flow()
  }

  resume(): void {
    this.#isPaused = false
    this.#flow()
  }

  /** The program has received this many of the waiting bytes. */
  taken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#flow()
  }

  #flow(): void {
    const stop = this.#isPaused || this.#waitingBytes >= MAX_WAITING_BYTES
    if (stop === this.#isStopped) return
    this.#isStopped = stop
    this.#real.read(!stop)
  }

  #came(bytes: Uint8Array): void {
    if (!this.#hasReceived && startsLikeHttp2(bytes)) this.#isHttp2 = !rejectsHttp2(this.#server)
    if (this.#isHttp2) {
      this.#hasReceived = true
      this.#cameFrames(this.#http2.arrived({ type: 'chunk', bytes: bytes.slice() }), bytes.byteLength)
      return
    }
    if (!this.#hasReceived && !mayBeRequest(bytes)) this.#isRaw = true
    this.#hasReceived = true
    if (this.#isRaw) {
      this.#wait(bytes.slice())
      return
    }
    this.#read = bytes
    const unread = this.#requests.push(bytes)
    this.#reportBegun()
    this.#read = NOTHING
    if (unread === null) return
    this.#isRaw = true
    // In the middle of a body no reader could continue.
    if (this.#isInRequest) this.#closed(null)
    else this.#wait(unread)
  }

  #cameFrames(outcomes: readonly Outcome[], wireBytes: number): void {
    this.#waitingBytes += wireBytes
    for (const outcome of outcomes) this.#arrive(outcome)
    this.returnPadding()
    this.#flow()
  }

  /** Padding that the program does not see is returned to the window of the client. */
  returnPadding(): void {
    const bytes = this.#http2.takeReturned()
    if (bytes !== null) this.write(bytes)
  }

  /** Bytes of a body, or those after an upgrade. */
  #data(bytes: Uint8Array): void {
    if (this.#begun !== null && this.#begunBody === null) {
      this.#begunBody = bytes
      return
    }
    this.#reportBegun()
    this.#wait(bytes.slice())
  }

  /** The request is not whole, or has trailers: its parts are reported as they come. */
  #reportBegun(): void {
    const [head, body] = [this.#begun, this.#begunBody]
    if (head === null) return
    this.#begun = null
    this.#begunBody = null
    this.#arrive(head)
    if (body !== null) this.#pass(body.slice())
  }

  #wait(bytes: Uint8Array): void {
    const messages = this.#messages
    if (messages === null) {
      this.#pass(bytes)
      return
    }
    for (const message of messages.push(bufferOf(bytes))) {
      this.#waitingBytes += message.bytes.byteLength
      this.#arrive(messageOutcome(message))
    }
    this.#flow()
    if (!messages.isBroken) return
    // Not a WebSocket after all: the next reader gets the bytes.
    this.#messages = null
    this.#pass(messages.release())
  }

  #pass(bytes: Uint8Array): void {
    this.#waitingBytes += bytes.byteLength
    this.#arrive({ type: 'chunk', bytes })
    this.#flow()
  }

  #head(startLine: string, headers: HeaderList): Framing | null {
    const read = this.#heads.read(startLine, headers)
    if (read === null) return null
    const { head, framing, takeover } = read
    this.#isInRequest = true
    const isTakenOver = this.#isTakenOver(head.method, takeover) && framing.type === 'none'
    const isWebSocket = isTakenOver && takeover?.toLowerCase() === 'upgrade to websocket'
    const list = isWebSocket ? headers.filter(isNoExtension) : headers
    this.#begun = newRequest(head, list, startLine.endsWith('1') ? undefined : startLine.slice(-3))
    const isAsItCame = !isTakenOver && framing.type !== 'chunked'
    this.#begunHeadBytes = isAsItCame ? this.#requests.plainHeadBytes : 0
    if (!isTakenOver) return framing
    this.#end([])
    if (isWebSocket) this.#messages = new MessageReader('client', null)
    return { type: 'until-close' }
  }

  /** Node checks whether the server has a listener for it. */
  #isTakenOver(method: string, takeover: string | null): boolean {
    if (takeover === null) return false
    return method === 'CONNECT' || this.#server.listenerCount('upgrade') > 0
  }

  #end(trailers: HeaderList): void {
    if (!this.#isInRequest) return
    this.#isInRequest = false
    const whole = trailers.length === 0 ? this.#begun : null
    if (whole === null) {
      this.#reportBegun()
      this.#arrive({ type: 'end', trailers })
      return
    }
    const body = this.#begunBody ?? NOTHING
    this.#begun = null
    this.#begunBody = null
    this.#waitingBytes += body.byteLength
    this.#arrive(this.#wholeRequest(whole, body))
    this.#flow()
  }

  /** A request that is all of what the system has given is passed on as it came. */
  #wholeRequest(head: IncomingRequest, body: Uint8Array): Outcome {
    const headBytes = this.#begunHeadBytes
    if (headBytes === 0 || headBytes + body.byteLength !== this.#read.byteLength)
      return withBody(head, body.slice(), undefined)
    const bytes = this.#read.slice()
    return withBody(head, bytes.subarray(headBytes), bytes)
  }

  #closed(error: Error | null): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isHttp2) {
      const last: Outcome =
        error === null ? { type: 'end', trailers: [] } : { type: 'error', error: errorFacts(error) }
      for (const outcome of this.#http2.arrived(last)) this.#arrive(outcome)
      return
    }
    const rest = this.#requests.close()
    if (!this.#isRaw && !this.#isInRequest && rest.type === 'cut' && rest.held.byteLength > 0)
      this.#wait(Buffer.from(rest.held))
    if (error !== null) this.#arrive({ type: 'error', error: errorFacts(error) })
    else if (this.#isInRequest) this.#arrive({ type: 'error', error: closedByPeer(true) })
    else this.#arrive({ type: 'end', trailers: [] })
  }
}

const NOTHING = new Uint8Array()

function newRequest(
  { method, target }: RequestHead,
  headers: HeaderList,
  httpVersion: string | undefined,
): IncomingRequest {
  return httpVersion === undefined
    ? { type: 'request', method, target, headers }
    : { type: 'request', method, target, headers, httpVersion }
}

/** Written out: to take an object apart costs more than all else here. */
function withBody(
  { method, target, headers, httpVersion }: IncomingRequest,
  body: Uint8Array,
  bytes: Uint8Array | undefined,
): Outcome {
  return httpVersion === undefined
    ? { type: 'request', method, target, headers, body, bytes }
    : { type: 'request', method, target, headers, httpVersion, body, bytes }
}

function isNoExtension([name]: HeaderList[number]): boolean {
  return name.toLowerCase() !== 'sec-websocket-extensions'
}
