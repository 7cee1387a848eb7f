/**
 * The response to a request for a WebSocket: where it ends, whether it accepts, and how messages are
 * compressed.
 */
import type { Compression } from './messages.ts'

export type Accepted = {
  /** How the server compresses, and how the client does. */
  readonly server: Compression | null
  readonly client: Compression | null
}

/** Where the head ends; -1 if it is incomplete. */
export function headEnd(bytes: Buffer): number {
  const at = bytes.indexOf('\r\n\r\n', 0, 'latin1')
  return at < 0 ? -1 : at + 4
}

/** Null if the head does not accept a WebSocket. */
export function acceptedBy(head: Buffer): Accepted | null {
  const [startLine = '', ...lines] = head.toString('latin1').split('\r\n')
  if (!/^HTTP\/1\.1 101/.test(startLine)) return null
  const values = (name: string): string[] =>
    lines.flatMap((line) => {
      const colon = line.indexOf(':')
      return line.slice(0, colon).toLowerCase() === name ? [line.slice(colon + 1).trim()] : []
    })
  if (!values('upgrade').some((value) => value.toLowerCase() === 'websocket')) return null
  const extensions = values('sec-websocket-extensions').join(',').toLowerCase()
  if (!extensions.includes('permessage-deflate')) return { server: null, client: null }
  return {
    server: { keepsContext: !extensions.includes('server_no_context_takeover') },
    client: { keepsContext: !extensions.includes('client_no_context_takeover') },
  }
}
