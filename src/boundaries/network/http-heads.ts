/**
 * Start lines of HTTP/1 and their meaning: which bytes are a request, how a response's body is framed, and
 * the bytes of a response.
 */
import type { HeaderList, HttpHead } from '../session.ts'
import { plainUrl } from './dispatched-request.ts'
import { type Framing, framingOf, values } from './message-parser.ts'

export type RequestHead = { readonly method: string; readonly target: string; readonly headers: HeaderList }

export function requestHead(startLine: string, headers: HeaderList): RequestHead | null {
  const [, method, target] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.[01]$/.exec(startLine) ?? []
  return method === undefined || target === undefined ? null : { method, target, headers }
}

/** What a server must know of the head of a request. */
export type ReadRequest = {
  readonly head: RequestHead
  readonly framing: Framing
  /** The other protocol that the request asks for. */
  readonly takeover: string | null
}

/** Reads the heads of one connection. A client repeats them, and the parser then gives the same list of headers. */
export class RequestHeads {
  #startLine = ''
  #headers: HeaderList | null = null
  #last: ReadRequest | null = null

  /** Null if it is no request. */
  read(startLine: string, headers: HeaderList): ReadRequest | null {
    if (headers === this.#headers && startLine === this.#startLine) return this.#last
    this.#startLine = startLine
    this.#headers = headers
    const head = requestHead(startLine, headers)
    const framing = head === null ? null : requestFraming(headers)
    this.#last =
      head === null || framing === null ? null : { head, framing, takeover: takesConnectionOver(head) }
    return this.#last
  }
}

/** The same for the responses of one connection. */
export class ResponseHeads {
  #startLine = ''
  #headers: HeaderList | null = null
  #last: HttpHead | null = null

  read(startLine: string, headers: HeaderList): HttpHead | null {
    if (headers === this.#headers && startLine === this.#startLine) return this.#last
    this.#startLine = startLine
    this.#headers = headers
    this.#last = responseHead(startLine, headers)
    return this.#last
  }
}

/** In a request line. */
const MOST_LINE = 64 * 1024

/** Whether a response may begin with these bytes. A client of Node rejects others before the first line ends. */
export function mayBeResponse(bytes: Uint8Array): boolean {
  if (bytes[0] === 0x48 && bytes[1] === 0x54 && bytes[2] === 0x54 && bytes[3] === 0x50 && bytes[4] === 0x2f)
    return true
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 64)).toString('latin1')
  const start = text.replace(/^[\r\n]+/, '').slice(0, RESPONSE.length)
  return RESPONSE.startsWith(start)
}

const RESPONSE = 'HTTP/'

/**
 * Whether these first bytes of a connection can still become a request; another protocol is detected at once.
 */
export function mayBeRequest(bytes: Uint8Array): boolean {
  return (
    /^[\r\n]*[A-Z][A-Za-z-]{0,20}($| )/.test(Buffer.from(bytes.subarray(0, 24)).toString('latin1')) &&
    !startsLikeHttp2(bytes) &&
    !hasOtherFirstLine(bytes)
  )
}

/** A whole first line that names no version of HTTP/1: `GET key` of a cache, `SELECT 1` of a database. */
function hasOtherFirstLine(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, MOST_LINE)
  const [, line] = /^[\r\n]*([^\n]+)\n/.exec(text) ?? []
  return line !== undefined && !/ HTTP\/1\.[01]\r?$/.test(line)
}

/** The preface of HTTP/2. */
export function startsLikeHttp2(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 6)).toString('latin1') === 'PRI * '
}

/** A request that turns the connection into another protocol: no exchange follows. */
export function takesConnectionOver({ method, headers }: RequestHead): string | null {
  if (method === 'CONNECT') return 'CONNECT'
  const [protocol] = values(headers, 'upgrade')
  if (protocol === undefined) return null
  const asked = values(headers, 'connection').some((value) => /(^|,)\s*upgrade\s*(,|$)/i.test(value))
  return asked ? `upgrade to ${protocol}` : null
}

/** Null if the end of the body is unknown: a request cannot last until the connection closes. */
export function requestFraming(headers: HeaderList): Framing | null {
  const framing = framingOf(headers, { type: 'none' })
  if (framing.type === 'chunked') return framing
  return values(headers, 'transfer-encoding').some((coding) => coding !== '') ? null : framing
}

/** Absolute if the request itself has it (to a proxy), else from its Host header. */
export function requestUrl({ target, headers }: RequestHead, scheme: string, connectedTo: string): string {
  const host = values(headers, 'host')[0] ?? connectedTo
  const plain = plainUrl(`${scheme}://${host}`, target)
  if (plain !== null) return plain
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `${scheme}://${host}${target}`
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  url.hash = ''
  return url.href
}

export function responseHead(startLine: string, headers: HeaderList): HttpHead | null {
  const [, httpVersion = '', status, statusText = ''] =
    /^HTTP\/(1\.[01]) (\d{3})(?: (.*))?$/.exec(startLine) ?? []
  if (status === undefined) return null
  return {
    type: 'head',
    status: Number(status),
    statusText,
    headers,
    ...(httpVersion === '1.1' ? {} : { httpVersion }),
  }
}

export const isInterim = (status: number): boolean => status >= 100 && status < 200 && status !== 101

export function responseFraming(method: string, status: number, headers: HeaderList): Framing {
  if (method === 'HEAD' || (status >= 100 && status < 200) || status === 204 || status === 304)
    return { type: 'none' }
  return framingOf(headers, { type: 'until-close' })
}

export function headBytes({ status, statusText, headers, httpVersion = '1.1' }: HttpHead): Buffer {
  let text = `HTTP/${httpVersion} ${status} ${statusText}\r\n`
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}

/** A span of a body in its framing. */
export function bodyBytes(framing: Framing, bytes: Uint8Array): Uint8Array {
  if (framing.type !== 'chunked') return bytes
  const size = `${bytes.byteLength.toString(16)}\r\n`
  const framed = Buffer.allocUnsafe(size.length + bytes.byteLength + 2)
  framed.write(size, 0, 'latin1')
  framed.set(bytes, size.length)
  framed.write('\r\n', size.length + bytes.byteLength, 'latin1')
  return framed
}

export function endBytes(framing: Framing, trailers: HeaderList): Uint8Array {
  if (framing.type !== 'chunked') return new Uint8Array(0)
  let text = '0\r\n'
  for (const [name, value] of trailers) text += `${name}: ${value}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}
