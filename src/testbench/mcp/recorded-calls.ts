/**
 * The names of the calls in a recorded request of MCP over HTTP: a few bytes per call, kept by the index of a
 * replay.
 */
import { utf8 } from '../../base/index.ts'
import type { Kind, Payload } from '../../tape/index.ts'
import { type CallNames, callNames } from './call-ids.ts'
import { mcpHttpRequest } from './http-request.ts'

/** Empty for an exchange without a call. `resolve` is called only for a body that may be one. */
export function recordedCalls(
  kind: Kind<'http_exchange'>,
  resolve: (payload: Payload) => Uint8Array,
): readonly CallNames[] {
  const body = kind.requestBody
  if (kind.method !== 'POST' || body === undefined) return []
  if (body.form === 'inline' && !body.text.includes('"jsonrpc"')) return []
  const isJson = kind.requestHeaders.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && /\bjson\b/i.test(value),
  )
  if (body.form !== 'inline' && !isJson) return []
  const bytes = body.form === 'inline' ? utf8(body.text) : resolve(body)
  return callNames(
    mcpHttpRequest({ method: kind.method, url: kind.url, headers: kind.requestHeaders, body: bytes })
      ?.messages ?? [],
  )
}
