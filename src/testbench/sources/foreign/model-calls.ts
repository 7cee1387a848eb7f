/**
 * Calls of models from a foreign tape. A request matches a record if it has the record's digest, by Harn's
 * rule: over the request, and the model that answered. If Harn did not have the request, the digest is that
 * of the answer's text, and the record serves the next call. The answer has the form of the API that the
 * program calls.
 */
import {
  contentHash,
  isObject,
  type JsonObject,
  jsonOf,
  textOf,
  textOrNull,
  utf8,
} from '../../../base/index.ts'
import type { HttpRequest, Outcome } from '../../../boundaries/session.ts'
import { answerBody } from '../../../llm/answer-body.ts'
import { requestDigest } from '../../../llm/digest.ts'
import { openaiChat } from '../../../llm/openai-chat.ts'
import { plainSurface } from '../../../llm/plain-surface.ts'
import { type RecognisedCall, recogniseCall } from '../../../llm/recognise.ts'
import { recordedAnswer } from '../../../llm/recorded-answer.ts'
import type { Scrubber } from '../../../scrub/index.ts'
import type { TapePayloads } from '../../../tape/tape-payloads.ts'
import { type ForeignOf, type ForeignRecord, isKind, shortHash } from './foreign-records.ts'
import { orNull } from './missing-payload.ts'

export type ModelCall = {
  /** Whether the record may be the call: also if its answer is missing, which is then refused by name. */
  matches(record: ForeignRecord): boolean
  /** Null if the payload is missing. */
  outcomes(record: ForeignOf<'llm_call'>): readonly Outcome[] | null
  /** For a call that is not on the tape. */
  readonly text: string
}

/** Null for a request that does not call a model. */
export function modelCall(
  request: HttpRequest,
  scrubber: Scrubber,
  payloads: TapePayloads,
): ModelCall | null {
  const { method, url } = request
  const call = recogniseCall({
    method,
    url,
    body: request.body === null ? null : scrubber.bytes(request.body, 'sent'),
  })
  if (call === null) return null
  const responseOf = (record: ForeignOf<'llm_call'>): JsonObject | null => {
    const bytes = orNull(() => payloads(record.kind.response))
    const value = bytes === null ? undefined : jsonOf(textOrNull(bytes) ?? '')
    return isObject(value) ? value : null
  }
  return {
    text: `llm_call ${shortHash(digestsOf(call, askedModel(call))[0] ?? '')} (${method} ${url})`,
    matches(record) {
      if (!isKind(record, 'llm_call')) return false
      const response = responseOf(record)
      if (response === null) return true
      const { requestDigest: digest } = record.kind
      if (digest === contentHash(utf8(textOf(response.text) ?? ''))) return true
      return [textOf(response.model), askedModel(call)].some((model) =>
        digestsOf(call, model).includes(digest),
      )
    },
    outcomes(record) {
      const response = responseOf(record)
      if (response === null) return null
      const { contentType, text } = answerBody(recordedAnswer(response), {
        api: (call.api ?? openaiChat).name,
        path: call.path,
        wantsEvents: /[?&]alt=sse\b/.test(url),
        body: call.body,
        seq: record.seq,
        atMs: record.virtualTimeMs,
      })
      return httpOutcomes(200, 'OK', contentType, text)
    },
  }
}

function askedModel({ api, path, body }: RecognisedCall): string | null {
  return (api ?? openaiChat).model(path, body)
}

/** As the API has it, and in Harn's own words. */
function digestsOf({ api, body }: RecognisedCall, model: string | null): readonly string[] {
  const surface = (api ?? openaiChat).surface(body)
  return [surface, plainSurface(surface)].map((each) => requestDigest(each, model))
}

export function httpOutcomes(
  status: number,
  statusText: string,
  contentType: string | null,
  body: string,
): readonly Outcome[] {
  const bytes = utf8(body)
  const headers = [
    ...(contentType === null ? [] : [['content-type', contentType] as const]),
    ['content-length', String(bytes.byteLength)] as const,
  ]
  const head: Outcome = { type: 'head', status, statusText, headers }
  return [head, ...(body === '' ? [] : [{ type: 'chunk', bytes } as const]), { type: 'end', trailers: [] }]
}
