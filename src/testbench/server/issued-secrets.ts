/**
 * Credentials that a server of the program has issued itself: a session cookie, a token that it has signed. On the
 * tape they are placeholders. A replay sends them again, so the requests that bring them back have the values of
 * this run: the program finds the session, and the signature is right.
 *
 * A credential that came from elsewhere stays a placeholder.
 *
 * Decision 0530.
 */
import type { HeaderList, IncomingRequest } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeTools } from '../session/family.ts'

/** False for a replay of an older tape. */
export function issuesSecrets(tape: TapeTools | null): boolean {
  return tape === null || hasFeature(tape.header, 'issuedSecrets')
}

/** The request as the program gets it; null if it is the one on the tape. */
export function restoredRequest(
  request: IncomingRequest,
  signed: HeaderList,
  scrubber: Scrubber,
): IncomingRequest | null {
  const headers = restoredHeaders(request.headers, signed, scrubber)
  const target = scrubber.restored(request.target)
  return headers === null && target === request.target
    ? null
    : { ...request, target, headers: headers ?? request.headers }
}

/** Null if nothing is restored. */
function restoredHeaders(headers: HeaderList, signed: HeaderList, scrubber: Scrubber): HeaderList | null {
  const left = [...signed]
  let isRestored = false
  const restored = headers.map(([name, value]) => {
    const at = left.findIndex(([other]) => other === name)
    const [, withDigest = value] = at < 0 ? [] : (left.splice(at, 1)[0] ?? [])
    const issued = scrubber.restored(value)
    const text = issued === value ? withDigest : issued
    isRestored ||= text !== value
    return [name, text] as const
  })
  return isRestored ? restored : null
}
