/**
 * The content of a file on its way into a stream of HTTP/2: one read, then one write, as far as the client's
 * windows allow. It ends with the file, with the part that the program chose, or with the stream.
 */

/** The part of a `ServerHttp2Stream` that this folder uses. */
export type AnsweringStream = {
  ownsFd?: boolean
  _final: unknown
  readonly destroyed: boolean
  readonly closed: boolean
  readonly headersSent: boolean
  readonly writableEnded: boolean
  write(bytes: Uint8Array, done: () => void): boolean
  end(bytes?: Uint8Array): void
  close(code: number): void
  destroy(error: unknown): void
  once(event: 'close', listener: () => void): void
}

type ReadBytes = (error: Error | null, count: number) => void

type FileToSend = {
  /** Where to begin; negative: where the descriptor is. */
  readonly offset: number
  /** Negative: until the file ends. */
  readonly length: number
  /** `fs.read` of the file. */
  read(bytes: Uint8Array, start: number, length: number, position: number | null, done: ReadBytes): void
  close(): void
}

/** As many as Node reads at once. */
const READ_BYTES = 65_536
/** `NGHTTP2_INTERNAL_ERROR`: Node's answer to a file that cannot be read. */
const INTERNAL_ERROR = 2

export class SentFile {
  readonly #stream: AnsweringStream
  readonly #file: FileToSend
  #offset: number
  #left: number
  #isReading = false
  #isClosed = false

  constructor(stream: AnsweringStream, file: FileToSend) {
    this.#stream = stream
    this.#file = file
    this.#offset = file.offset
    this.#left = file.length < 0 ? Number.POSITIVE_INFINITY : file.length
    stream.once('close', () => {
      // A read that is under way closes the file when it is done.
      if (!this.#isReading) this.#close()
    })
  }

  next(): void {
    if (this.#isOver) this.#close()
    else if (this.#left === 0) this.#end()
    else this.#read(Buffer.allocUnsafe(Math.min(READ_BYTES, this.#left)))
  }

  /** Whether the stream accepts no more bytes. */
  get #isOver(): boolean {
    const { destroyed, closed, writableEnded } = this.#stream
    return destroyed || closed || writableEnded
  }

  #read(bytes: Buffer): void {
    this.#isReading = true
    const position = this.#offset < 0 ? null : this.#offset
    try {
      this.#file.read(bytes, 0, bytes.length, position, (error, count) => {
        this.#isReading = false
        if (error) this.#fail()
        else this.#send(bytes.subarray(0, count))
      })
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'ERR_OUT_OF_RANGE') throw error
      // No number of a descriptor: Node treats it like a file that it cannot read.
      this.#isReading = false
      this.#fail()
    }
  }

  #send(bytes: Uint8Array): void {
    const { length } = bytes
    if (this.#offset >= 0) this.#offset += length
    this.#left = length === 0 ? 0 : this.#left - length
    if (this.#isOver) this.#close()
    else if (this.#left === 0) this.#end(bytes)
    else this.#stream.write(bytes, () => this.next())
  }

  #end(bytes?: Uint8Array): void {
    this.#close()
    this.#stream.end(bytes)
  }

  #fail(): void {
    this.#close()
    // As Node does: else `close` first sends a regular end of the answer.
    this.#stream._final = null
    this.#stream.close(INTERNAL_ERROR)
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#file.close()
  }
}
