/**
 * The real side of one connection to a recorded server: reads requests out of the bytes of the client and
 * reports them as outcomes. Bytes that are no HTTP/1, and those after an upgrade, are reported as they come.
 */
import type { RealSocket } from '../../real/sockets.ts'
import { outside } from '../context.ts'
import { errorFacts } from '../errors.ts'
import { closedByPeer } from '../network/exchange.ts'
import {
  mayBeRequest,
  requestFraming,
  requestHead,
  startsLikeHttp2,
  takesConnectionOver,
} from '../network/http-heads.ts'
import { type Framing, MessageParser } from '../network/message-parser.ts'
import { type HeaderList, MAX_WAITING_BYTES, type Outcome } from '../session.ts'

export class LiveClient {
  readonly #real: RealSocket
  readonly #arrive: (outcome: Outcome) => void
  /** Called once, before bytes that cannot be recorded. */
  readonly #gap: () => void
  readonly #server: { listenerCount(event: string): number }
  readonly #requests: MessageParser
  #hasReceived = false
  #isRaw = false
  /** The head of a request has come, its end has not. */
  #isInRequest = false
  #isOver = false
  #isPaused = false
  #waitingBytes = 0

  constructor(
    real: RealSocket,
    arrive: (outcome: Outcome) => void,
    server: { listenerCount(event: string): number },
    gap: () => void,
  ) {
    this.#gap = gap
    this.#real = real
    this.#arrive = arrive
    this.#server = server
    this.#requests = new MessageParser({
      head: (startLine, headers) => this.#head(startLine, headers),
      data: (bytes) => this.#wait(bytes.slice()),
      end: (trailers) => this.#end(trailers),
    })
    real.on('data', (bytes: Buffer) => this.#came(bytes))
    real.once('end', () => this.#closed(null))
    real.on('error', (error: Error) => this.#closed(error))
    real.once('close', () => this.#closed(null))
  }

  write(bytes: Uint8Array): void {
    outside(() => this.#real.write(bytes))
  }

  end(): void {
    outside(() => this.#real.end())
  }

  /** After an orderly end, what was written is still sent. */
  destroy(isOrderly: boolean): void {
    this.#isOver = true
    outside(() => (isOrderly ? this.#real.destroySoon() : this.#real.destroy()))
  }

  setRef(ref: boolean): void {
    if (ref) this.#real.ref()
    else this.#real.unref()
  }

  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void {
    Reflect.apply(this.#real[name], this.#real, args)
  }

  pause(): void {
    this.#isPaused = true
    this.#flow()
  }

  resume(): void {
    this.#isPaused = false
    this.#flow()
  }

  /** The program has had this many bytes of what was waiting. */
  taken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#flow()
  }

  #flow(): void {
    const stop = this.#isPaused || this.#waitingBytes >= MAX_WAITING_BYTES
    if (stop !== this.#real.isPaused()) outside(() => (stop ? this.#real.pause() : this.#real.resume()))
  }

  /**
   * HTTP/2 compresses headers: a secret in one would be stored unseen. Such a connection is closed, and the
   * tape has a gap.
   */
  #came(bytes: Uint8Array): void {
    if (!this.#hasReceived && startsLikeHttp2(bytes)) {
      this.#gap()
      return
    }
    if (!this.#hasReceived && !mayBeRequest(bytes)) this.#isRaw = true
    this.#hasReceived = true
    if (this.#isRaw) {
      this.#wait(bytes.slice())
      return
    }
    const unread = this.#requests.push(bytes)
    if (unread === null) return
    this.#isRaw = true
    // In the middle of a body nobody could read on.
    if (this.#isInRequest) this.#closed(null)
    else this.#wait(unread)
  }

  #wait(bytes: Uint8Array): void {
    this.#waitingBytes += bytes.byteLength
    this.#arrive({ type: 'chunk', bytes })
    this.#flow()
  }

  #head(startLine: string, headers: HeaderList): Framing | null {
    const head = requestHead(startLine, headers)
    if (head === null) return null
    const framing = requestFraming(headers)
    if (framing === null) return null
    const httpVersion = startLine.slice(-3)
    this.#isInRequest = true
    this.#arrive({ type: 'request', ...head, ...(httpVersion === '1.1' ? {} : { httpVersion }) })
    if (!this.#isTakenOver(head.method, takesConnectionOver(head)) || framing.type !== 'none') return framing
    this.#end([])
    return { type: 'until-close' }
  }

  /** Node asks whether the server has a listener for it. */
  #isTakenOver(method: string, takeover: string | null): boolean {
    if (takeover === null) return false
    return method === 'CONNECT' || this.#server.listenerCount('upgrade') > 0
  }

  #end(trailers: HeaderList): void {
    if (!this.#isInRequest) return
    this.#isInRequest = false
    this.#arrive({ type: 'end', trailers })
  }

  #closed(error: Error | null): void {
    if (this.#isOver) return
    this.#isOver = true
    const rest = this.#requests.close()
    if (!this.#isRaw && !this.#isInRequest && rest.type === 'cut' && rest.held.byteLength > 0)
      this.#wait(Buffer.from(rest.held))
    if (error !== null) this.#arrive({ type: 'error', error: errorFacts(error) })
    else if (this.#isInRequest) this.#arrive({ type: 'error', error: closedByPeer(true) })
    else this.#arrive({ type: 'end', trailers: [] })
  }
}
