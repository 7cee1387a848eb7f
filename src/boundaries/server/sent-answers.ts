/**
 * Reads what a server writes to one connection: responses, as long as requests wait for one, messages once it
 * has accepted a WebSocket, and bytes of another protocol. Reports all of them to the session; bytes that
 * cannot be read as a response or a message are reported as bytes.
 *
 * Decision 0455.
 */

import { letImmediatesGoFirst } from '../gate.ts'
import { startsLikeSettings } from '../http2/frames.ts'
import { IMMEDIATES_OF_A_WRITE } from '../http2/http2-link.ts'
import type { Http2Sides } from '../http2/http2-sides.ts'
import { isInterim, ResponseHeads, responseFraming } from '../network/http-heads.ts'
import { type Framing, MessageParser, values } from '../network/message-parser.ts'
import type { FrameSide, HeaderList, ServedSide } from '../session.ts'
import { MessageReader } from '../websocket/messages.ts'
import { bufferOf, messageOutcome } from '../websocket/web-socket-sides.ts'

export class SentAnswers {
  readonly #side: ServedSide
  readonly #parser: MessageParser
  readonly #heads = new ResponseHeads()
  /** The methods of requests that have no response yet. */
  readonly #methods: string[] = []
  #isHttp = false
  /** Bytes are passed on unchanged. */
  #isRaw = false
  /** For a connection that became a WebSocket. */
  #messages: MessageReader | null = null
  #isAnswering = false
  #isOver = false
  readonly #frames: FrameSide | null
  readonly #http2: Http2Sides
  /** Null until the first write. */
  #isHttp2: boolean | null = null

  constructor(side: ServedSide, frames: FrameSide | null, http2: Http2Sides) {
    this.#side = side
    this.#frames = frames
    this.#http2 = http2
    this.#parser = new MessageParser({
      head: (startLine, headers) => this.#head(startLine, headers),
      data: (bytes) => this.#data(bytes),
      end: (trailers) => this.#end(trailers),
    })
  }

  get isHttp2(): boolean {
    return this.#isHttp2 === true
  }

  /** A request has arrived. */
  expect(method: string): void {
    this.#methods.push(method)
    this.#isHttp = true
  }

  /** Throws the divergence if the recording sent other frames. */
  push(bytes: Uint8Array): void {
    this.#isHttp2 ??= !this.#isHttp && startsLikeSettings(bytes)
    if (this.#isHttp2) {
      this.#pushFrames(bytes)
      return
    }
    if (!this.#isHttp || this.#isRaw) this.#send(bytes)
    else {
      const unread = this.#parser.push(bytes)
      if (unread === null) return
      this.#isRaw = true
      this.#cut()
      this.#send(unread)
    }
  }

  #pushFrames(bytes: Uint8Array): void {
    letImmediatesGoFirst(IMMEDIATES_OF_A_WRITE)
    const frames = this.#http2.sent(bytes)
    if (frames === null) throw new Error('a session of HTTP/2 writes bytes that are no frames')
    for (const frame of frames) {
      const error = this.#frames?.send(frame) ?? null
      if (error !== null) throw error
    }
  }

  /** The server will send no more. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isHttp2 === true) {
      letImmediatesGoFirst(IMMEDIATES_OF_A_WRITE)
      return
    }
    if (this.#isHttp && !this.#isRaw) this.#close()
    this.#sendUnfinished()
    this.#side.sendEnd()
  }

  /** The connection is closed. */
  destroyed(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isHttp && !this.#isRaw) this.#close()
    this.#sendUnfinished()
  }

  #close(): void {
    const rest = this.#parser.close()
    this.#cut()
    if (rest.type === 'cut' && rest.held.byteLength > 0) this.#send(rest.held)
  }

  #head(startLine: string, headers: HeaderList): Framing | null {
    const head = this.#heads.read(startLine, headers)
    if (head === null) return null
    const [method = 'GET'] = this.#methods
    this.#isAnswering = true
    this.#side.answer(head)
    if (isInterim(head.status)) return { type: 'none' }
    this.#methods.shift()
    if (head.status === 101 || (method === 'CONNECT' && head.status >= 200 && head.status < 300)) {
      this.#end([])
      this.#isRaw = true
      if (head.status === 101 && this.#side.hasMessages && isWebSocket(headers))
        this.#messages = new MessageReader('server', null)
      return { type: 'until-close' }
    }
    return responseFraming(method, head.status, headers)
  }

  #data(bytes: Uint8Array): void {
    if (this.#isRaw) this.#send(bytes)
    else this.#side.answerBody(bytes)
  }

  #end(trailers: HeaderList): void {
    if (this.#isAnswering) this.#side.answerEnd(trailers, true)
    this.#isAnswering = false
  }

  /** A response that is not whole stays so. */
  #cut(): void {
    if (this.#isAnswering) this.#side.answerEnd([], false)
    this.#isAnswering = false
  }

  #send(bytes: Uint8Array): void {
    const reader = this.#messages
    if (reader === null) {
      if (bytes.byteLength > 0) this.#side.send(bytes)
      return
    }
    for (const message of reader.push(bufferOf(bytes))) {
      const error = this.#side.sendMessage(messageOutcome(message))
      if (error !== null) throw error
    }
    if (reader.isBroken) this.#sendUnfinished()
  }

  /** From here on there are no messages. Those that are not whole are bytes. */
  #sendUnfinished(): void {
    const rest = this.#messages?.release()
    this.#messages = null
    if (rest !== undefined && rest.byteLength > 0) this.#side.send(rest)
  }
}

function isWebSocket(headers: HeaderList): boolean {
  return values(headers, 'upgrade').some((value) => value.toLowerCase() === 'websocket')
}
