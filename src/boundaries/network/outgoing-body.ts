/**
 * The body of a live request, if it is not the program's own: a fork may send a request to another model than
 * the program names. The tape has the program's request.
 */
import type { HeaderList, HttpRequest, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import type { RequestHead } from './http-heads.ts'

type Replace = (request: HttpRequest) => Uint8Array | null

const replacements = sessionField<Replace | null>(() => null)

/** `replace` returns the body to send, or null for the program's own. */
export function useOutgoingBody(session: Session, replace: Replace): void {
  replacements.set(session, replace)
}

export function outgoingBody(session: Session, request: HttpRequest): Uint8Array | null {
  return replacements.get(session)?.(request) ?? null
}

/** Headers for a body of this length. */
export function headersFor(headers: HeaderList, body: Uint8Array): HeaderList {
  return headers.flatMap(([name, value]): [string, string][] => {
    switch (name.toLowerCase()) {
      case 'content-length':
        return [[name, String(body.byteLength)]]
      case 'transfer-encoding':
        return [['content-length', String(body.byteLength)]]
      default:
        return [[name, value]]
    }
  })
}

/** A request in HTTP/1 form, with another body. */
export function requestBytes({ method, target, headers }: RequestHead, body: Uint8Array): Uint8Array {
  const lines = headersFor(headers, body).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body])
}
