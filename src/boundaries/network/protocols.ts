/** What a connection is recorded as if it is no HTTP/1: the key of its effect, and what cannot be recorded. */
import { type RequestHead, requestUrl, startsLikeHttp2 } from './http-heads.ts'
import { values } from './message-parser.ts'
import type { Target } from './target.ts'

export function http2Key({ scheme, name }: Target): string {
  return `http2 ${scheme}://${name}`
}

/** `socket tcp://127.0.0.1:5432`, `socket tls://…`, `socket unix:/run/x.sock`. */
export function streamKey({ scheme, name }: Target): string {
  const address = name.startsWith('unix:') ? name : `//${name}`
  const isPlain = scheme === 'http'
  if (name.startsWith('unix:')) return `socket ${isPlain ? '' : 'tls+'}${address}`
  return `socket ${isPlain ? 'tcp' : 'tls'}:${address}`
}

/** The address, and the sub-protocols that the program asks for. */
export function webSocketKey(head: RequestHead, { scheme, name }: Target): string {
  const url = requestUrl(head, scheme, name).replace(/^http/, 'ws')
  const protocols = values(head.headers, 'sec-websocket-protocol').join(',')
  return `websocket ${url}${protocols === '' ? '' : ` ${protocols}`}`
}

/** A client hello of TLS: a record of type 22, version 3. */
export function unreadableProtocol(bytes: Uint8Array): string | null {
  return bytes[0] === 0x16 && bytes[1] === 0x03 ? 'TLS' : null
}

/** The same over a connection whose bytes are recorded already: HTTP/2 compresses headers, and hides secrets. */
export function lateProtocol(bytes: Uint8Array): string | null {
  return unreadableProtocol(bytes) ?? (startsLikeHttp2(bytes) ? 'HTTP/2' : null)
}
