/**
 * Reads what a server writes to one connection: answers, as long as requests wait for one, and bytes of
 * another protocol. Reports both to the session; what cannot be read as an answer is reported as bytes.
 */
import { isInterim, responseFraming, responseHead } from '../network/http-heads.ts'
import { type Framing, MessageParser } from '../network/message-parser.ts'
import type { HeaderList, ServedSide } from '../session.ts'

export class SentAnswers {
  readonly #side: ServedSide
  readonly #parser: MessageParser
  /** The methods of requests that have no answer yet. */
  readonly #methods: string[] = []
  #isHttp = false
  /** Bytes are passed on as they are. */
  #isRaw = false
  #isAnswering = false
  #isOver = false

  constructor(side: ServedSide) {
    this.#side = side
    this.#parser = new MessageParser({
      head: (startLine, headers) => this.#head(startLine, headers),
      data: (bytes) => this.#data(bytes),
      end: (trailers) => this.#end(trailers),
    })
  }

  /** A request has come. */
  expect(method: string): void {
    this.#methods.push(method)
    this.#isHttp = true
  }

  push(bytes: Uint8Array): void {
    if (!this.#isHttp || this.#isRaw) this.#send(bytes)
    else {
      const unread = this.#parser.push(bytes)
      if (unread === null) return
      this.#isRaw = true
      this.#cut()
      this.#send(unread)
    }
  }

  /** The server will send no more. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isHttp && !this.#isRaw) this.#close()
    this.#side.sendEnd()
  }

  /** The connection is gone. */
  destroyed(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#isHttp && !this.#isRaw) this.#close()
  }

  #close(): void {
    const rest = this.#parser.close()
    this.#cut()
    if (rest.type === 'cut' && rest.held.byteLength > 0) this.#send(rest.held)
  }

  #head(startLine: string, headers: HeaderList): Framing | null {
    const head = responseHead(startLine, headers)
    if (head === null) return null
    const [method = 'GET'] = this.#methods
    this.#isAnswering = true
    this.#side.answer(head)
    if (isInterim(head.status)) return { type: 'none' }
    this.#methods.shift()
    if (head.status === 101 || (method === 'CONNECT' && head.status >= 200 && head.status < 300)) {
      this.#end([])
      this.#isRaw = true
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

  /** An answer that is not whole stays so. */
  #cut(): void {
    if (this.#isAnswering) this.#side.answerEnd([], false)
    this.#isAnswering = false
  }

  #send(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.#side.send(bytes)
  }
}
