/**
 * Decides whether a request may be answered: only a page that was opened with the secret of this viewer, from
 * this machine.
 *
 * `Host` must be the loopback address, so a name that an attacker points at 127.0.0.1 gets nothing. `Origin`
 * and `Sec-Fetch-Site`, where a browser sends them, must be this page's own. The secret is part of every
 * path.
 *
 * Decision 0276.
 */
import type { IncomingMessage } from '../../real/loopback-server.ts'

export type Verdict =
  | { readonly allowed: true; readonly path: string; readonly query: URLSearchParams }
  | { readonly allowed: false; readonly status: number; readonly reason: string }

export function judgeRequest(request: IncomingMessage, port: number, token: string): Verdict {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refused(405, 'only GET is answered')
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!hosts.includes(request.headers.host ?? ''))
    return refused(403, 'the Host of the request is not this viewer')
  const { origin } = request.headers
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    return refused(403, 'the Origin of the request is not this viewer')
  }
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refused(403, 'the request comes from another site')
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const [, secret = '', ...rest] = path.split('/')
  if (!sameSecret(secret, token))
    return refused(403, 'open the viewer with the address that reprise view printed')
  return { allowed: true, path: rest.join('/'), query: new URLSearchParams(query) }
}

function refused(status: number, reason: string): Verdict {
  return { allowed: false, status, reason }
}

/** Takes as long for any secret of the right length. */
function sameSecret(given: string, token: string): boolean {
  if (given.length !== token.length) return false
  let difference = 0
  for (let at = 0; at < token.length; at += 1) difference |= given.charCodeAt(at) ^ token.charCodeAt(at)
  return difference === 0
}

/** For every answer. The page has no inline script or style, and connects to no other host. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}
