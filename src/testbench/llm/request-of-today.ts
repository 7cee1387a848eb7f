/**
 * What a recording of today would write of a request on a tape: newer rules may find a secret in it. Returns
 * null for a request whose key was made in another way: by match rules of the user, or for MCP.
 *
 * Decision 0492.
 */
import {
  type ContentHash,
  GrowingHash,
  GrowingJson,
  isObject,
  textOrNull,
  tryParseJson,
} from '../../base/index.ts'
import type { HttpRequest } from '../../boundaries/session.ts'
import { requestDigest } from '../../llm/digest.ts'
import { recogniseCall } from '../../llm/recognise.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { RequestOfToday } from '../../tape/scrub-tape.ts'
import { describeRequest, plainKey } from '../keys/request-key.ts'

export function requestOfToday(
  recorded: HttpRequest,
  recordedKey: string,
  scrubber: Scrubber,
): RequestOfToday | null {
  if (plainKey(recorded) !== recordedKey) return null
  const bodies = { json: new GrowingJson([]), hashes: new GrowingHash() }
  const request = describeRequest(recorded, scrubber, {}, bodies, null)
  const { key, url, headers, body } = request
  return {
    key,
    url,
    headers,
    body,
    digest(digest: ContentHash, model: string | null): ContentHash {
      const call = recogniseCall(request)
      const text = recorded.body === null ? null : textOrNull(recorded.body)
      const body = text === null ? undefined : tryParseJson(text)
      if (call === null || call.api === null || !isObject(body)) return digest
      const before = requestDigest(call.api.surface(body as typeof call.body), model)
      return before === digest ? requestDigest(call.api.surface(call.body), model) : digest
    },
  }
}
