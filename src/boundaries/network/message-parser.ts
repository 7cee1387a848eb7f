/**
 * Reads HTTP/1 messages from bytes in pieces of any size: a start line, headers, a body in its framing,
 * trailers, and then the next message.
 *
 * Body bytes are passed on as they arrive, never held. Each span is within one chunk of a chunked body, so
 * that the chunks of the wire stay separate. The parser stops at bytes that it cannot read, and returns the
 * bytes that it has not passed on.
 *
 * Decision 0262.
 */
import type { HeaderList } from '../session.ts'
import { CONTROL_CHARACTER, checkedPairs, headerPairs, trimmed } from './header-pairs.ts'

export type Framing =
  | { readonly type: 'none' }
  | { readonly type: 'length'; readonly bytes: number }
  | { readonly type: 'chunked' }
  | { readonly type: 'until-close' }

export type MessageSink = {
  /** Returns how the body is framed; null if this is no message at all. */
  head(startLine: string, headers: HeaderList): Framing | null
  data(bytes: Uint8Array): void
  end(trailers: HeaderList): void
}

type State =
  | 'head'
  | 'length'
  | 'chunk-size'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailers'
  | 'until-close'
  | 'broken'

/** A longer head or line is no HTTP. */
const MAX_HEAD_BYTES = 1024 * 1024
const LF = 0x0a
const NOTHING = new Uint8Array(0)
const CR = 0x0d
/** Longer header lines are not kept for the next message. */
const LONGEST_BLOCK = 16 * 1024
/** A control character, or a line that does not end with both a carriage return and a line feed. */
const UNUSUAL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?:^|[^\r])\n/
const LENGTH = /^\d{1,15}$/

export class MessageParser {
  readonly #sink: MessageSink
  #state: State = 'head'
  /** Bytes of the unfinished head, line or trailers. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #lines: string[] = []
  #left = 0
  /** The header lines of the last head that was read in one pass. A peer repeats them in message after message. */
  #block: string | null = null
  #blockHeaders: HeaderList = []
  /** Each of these lines is a name, a colon, one space and a value. */
  #isPlainBlock = false
  #plainHeadBytes = 0

  constructor(sink: MessageSink) {
    this.#sink = sink
  }

  /**
   * Null on success; else the bytes, also from an earlier push, that could not be read. From then on every
   * push returns its bytes.
   */
  push(bytes: Uint8Array): Uint8Array | null {
    let at = 0
    while (at < bytes.byteLength) {
      switch (this.#state) {
        case 'broken':
          return this.#rest(bytes, at)
        case 'until-close':
          this.#sink.data(bytes.subarray(at))
          at = bytes.byteLength
          break
        case 'length':
        case 'chunk-data': {
          const end = Math.min(bytes.byteLength, at + this.#left)
          this.#left -= end - at
          this.#sink.data(bytes.subarray(at, end))
          at = end
          if (this.#left === 0) this.#bodyDone()
          break
        }
        default: {
          const after = this.#wholeHead(bytes, at)
          if (after > at) {
            at = after
            if (this.#stateIs('broken')) return this.#rest(bytes, at)
            break
          }
          const end = bytes.indexOf(LF, at)
          const stop = end === -1 ? bytes.byteLength : end + 1
          if (end !== -1 && this.#wholeChunkLine(bytes, at, end)) {
            at = stop
            break
          }
          this.#hold(bytes.subarray(at, stop))
          at = stop
          if (this.#heldBytes > MAX_HEAD_BYTES) this.#state = 'broken'
          else if (end !== -1) this.#line()
          if (this.#stateIs('broken')) return this.#rest(bytes, at)
        }
      }
    }
    return null
  }

  /**
   * How many bytes the head has that the sink is called with, if its header lines can be written again byte for byte
   * from names and values; else 0.
   */
  get plainHeadBytes(): number {
    return this.#plainHeadBytes
  }

  /** Whether nothing of a next message has come. */
  get isBetween(): boolean {
    return this.#state === 'head' && this.#heldBytes === 0 && this.#lines.length === 0
  }

  /** Whether bytes of an unfinished message are held. */
  get isHolding(): boolean {
    return this.#heldBytes > 0
  }

  /** Stops reading, and returns the held bytes. */
  release(): Uint8Array {
    this.#state = 'broken'
    return this.#rest(NOTHING, 0)
  }

  /**
   * No more bytes will arrive. `between` messages, at the `end` of one that lasts until the close, or a `cut`
   * with the bytes that were read and not passed on.
   */
  close(): { readonly type: 'between' | 'end' } | { readonly type: 'cut'; readonly held: Uint8Array } {
    if (this.#state === 'until-close') {
      this.#state = 'head'
      this.#sink.end([])
      return { type: 'end' }
    }
    if (this.#state === 'head' && this.#heldBytes === 0) return { type: 'between' }
    return { type: 'cut', held: this.#state === 'broken' ? new Uint8Array(0) : Buffer.concat(this.#held) }
  }

  /**
   * A head in one piece, as nearly all are, is read in one pass. Returns its end; `at` if it must be read
   * line by line.
   */
  #wholeHead(bytes: Uint8Array, at: number): number {
    if (this.#state !== 'head' || this.#heldBytes > 0) return at
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const end = buffer.indexOf('\r\n\r\n', at, 'latin1')
    if (end <= at || end - at > MAX_HEAD_BYTES) return at
    const lineEnd = buffer.indexOf(CR, at)
    const startLine = buffer.toString('latin1', at, lineEnd)
    // Also an empty line before the first: rare, and read with more care.
    if (startLine === '' || CONTROL_CHARACTER.test(startLine)) return at
    const headers = this.#blockPairs(buffer.toString('latin1', lineEnd, end))
    if (headers === null) return at
    this.#plainHeadBytes = this.#isPlainBlock ? end + 4 - at : 0
    if (!this.#begin(startLine, headers)) this.#hold(bytes.subarray(at, end + 4))
    return end + 4
  }

  /** The same for the line between two chunks. False if it must be held: then nothing has happened. */
  #wholeChunkLine(bytes: Uint8Array, at: number, end: number): boolean {
    if (this.#heldBytes > 0 || (this.#state !== 'chunk-size' && this.#state !== 'chunk-end')) return false
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', at, end)
    return this.#chunkLine(text.endsWith('\r') ? text.slice(0, -1) : text)
  }

  /** False if it is no such line. */
  #chunkLine(text: string): boolean {
    if (this.#state === 'chunk-end') {
      if (text !== '') return false
      this.#state = 'chunk-size'
      return true
    }
    const size = /^([0-9a-fA-F]{1,12})(;.*)?$/.exec(text)?.[1]
    if (size === undefined) return false
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk-data'
    return true
  }

  /** The list is the same object as long as the lines are the same. Null if they must be read line by line. */
  #blockPairs(block: string): HeaderList | null {
    if (block === this.#block) return this.#blockHeaders
    if (UNUSUAL.test(block)) return null
    const lines = block.split('\r\n')
    const headers = headerPairs(lines, 1)
    if (headers === null || !hasClearFraming(headers)) return null
    this.#isPlainBlock = headers.every(([name, value], at) => lines[at + 1] === `${name}: ${value}`)
    const isKept = block.length <= LONGEST_BLOCK
    this.#block = isKept ? block : null
    this.#blockHeaders = isKept ? headers : []
    return headers
  }

  #stateIs(state: State): boolean {
    return this.#state === state
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes.slice())
    this.#heldBytes += bytes.byteLength
  }

  #rest(bytes: Uint8Array, at: number): Uint8Array {
    const rest = Buffer.concat([...this.#held, bytes.subarray(at)])
    this.#held = []
    this.#heldBytes = 0
    return rest
  }

  /** The held bytes end with a line feed: a line is whole. */
  #line(): void {
    const text = lastLine(this.#held)
    switch (this.#state) {
      case 'head':
        if (text === '' && this.#lines.length === 0) this.#forget()
        else if (text !== '') this.#lines.push(text)
        else this.#head(checkedPairs(this.#lines, 1))
        return
      case 'chunk-size':
      case 'chunk-end':
        if (this.#chunkLine(text)) this.#forget()
        else this.#state = 'broken'
        return
      case 'trailers':
        if (text !== '') this.#lines.push(text)
        else this.#finish(checkedPairs(this.#lines, 0))
    }
  }

  #head(headers: HeaderList | null): void {
    const [startLine = ''] = this.#lines
    this.#plainHeadBytes = 0
    if (headers === null || !hasClearFraming(headers)) this.#state = 'broken'
    else if (this.#begin(startLine, headers)) return
  }

  /** False if it is no message: its bytes cannot be read. */
  #begin(startLine: string, headers: HeaderList): boolean {
    const framing = this.#sink.head(startLine, headers)
    if (framing === null) {
      this.#state = 'broken'
      return false
    }
    this.#forget()
    switch (framing.type) {
      case 'none':
        this.#finish([])
        break
      case 'length':
        this.#left = framing.bytes
        this.#state = 'length'
        if (framing.bytes === 0) this.#finish([])
        break
      case 'chunked':
        this.#state = 'chunk-size'
        break
      case 'until-close':
        this.#state = 'until-close'
    }
    return true
  }

  #bodyDone(): void {
    if (this.#state === 'chunk-data') this.#state = 'chunk-end'
    else this.#finish([])
  }

  #finish(trailers: HeaderList | null): void {
    if (trailers === null) {
      this.#state = 'broken'
      return
    }
    this.#forget()
    this.#state = 'head'
    this.#sink.end(trailers)
  }

  #forget(): void {
    if (this.#heldBytes === 0 && this.#lines.length === 0) return
    this.#held = []
    this.#heldBytes = 0
    this.#lines = []
  }
}

/** The text of the last line in these bytes, without its end. */
function lastLine(held: readonly Uint8Array[]): string {
  let from = held.length - 1
  while (from > 0 && held[from - 1]?.at(-1) !== LF) from -= 1
  const line = Buffer.concat(held.slice(from)).toString('latin1')
  return line.slice(0, line.endsWith('\r\n') ? -2 : -1)
}

/**
 * Two lengths, a length next to a coding, or a length that is not a number: readers could disagree about the
 * end of the body.
 */
function hasClearFraming(headers: HeaderList): boolean {
  const [length, ...others] = values(headers, 'content-length')
  if (length === undefined) return true
  return others.length === 0 && LENGTH.test(length) && values(headers, 'transfer-encoding').length === 0
}

/** The framing that the headers define for an existing body. */
export function framingOf(headers: HeaderList, otherwise: Framing): Framing {
  const codings = values(headers, 'transfer-encoding')
  const coding = codings.length === 0 ? '' : codings.join(',').toLowerCase()
  if (coding !== '')
    return trimmed(coding.split(',').at(-1) ?? '') === 'chunked' ? { type: 'chunked' } : otherwise
  const [length] = values(headers, 'content-length')
  if (length === undefined) return otherwise
  return LENGTH.test(length) ? { type: 'length', bytes: Number(length) } : otherwise
}

export function values(headers: HeaderList, wanted: string): readonly string[] {
  let found: string[] | null = null
  for (const [name, value] of headers) {
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue
    if (found === null) found = [value]
    else found.push(value)
  }
  return found ?? NONE
}

const NONE: readonly string[] = []
