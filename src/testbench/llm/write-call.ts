/**
 * Writes one `llm_call`. Everything in it is made from scrubbed values, and the whole response passes the
 * scrubber again: that finds a secret that the model sent in two pieces.
 */
import { GrowingHash, GrowingMap, type JsonObject, label } from '../../base/index.ts'
import type { LlmAnswer } from '../../llm/answer.ts'
import type { LlmApi } from '../../llm/api.ts'
import { type DigestMemory, requestDigest } from '../../llm/digest.ts'
import { providerOf } from '../../llm/providers.ts'
import type { RecognisedCall } from '../../llm/recognise.ts'
import { responseJson } from '../../llm/response-json.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { scrubbedText, scrubbedUtf8 } from '../../scrub/scrubbed-parts.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { Ending } from '../records/call-follower.ts'
import { errorOfCall } from './call-error.ts'
import { RequestLedger, type RequestParts } from './request-ledger.ts'
import { lineJson } from './start-requests.ts'

export type EndedCall = {
  /** The effect that carried it. */
  readonly id: number
  readonly call: RecognisedCall
  readonly parts: RequestParts
  readonly api: LlmApi
  readonly answer: LlmAnswer
  readonly documents: readonly JsonObject[]
  readonly ending: Ending & { readonly status: number | null }
}

export function createCallWriter(recorder: TapeRecorder, scrubber: Scrubber): (ended: EndedCall) => void {
  const calls = new RequestLedger()
  const digests: DigestMemory = {
    printed: new WeakMap(),
    lists: new GrowingMap(),
    hashes: new GrowingHash(),
  }
  return ({ id, call, parts, api, answer, documents, ending }) => {
    const before = scrubber.hits
    const asked = api.model(call.path, call.body)
    const model = answer.model ?? asked
    const provider = providerOf(call.host, api.provider)
    const text = scrubber.jsonText(responseJson(answer, model, provider), 'received')
    const request = lineJson(calls.difference(parts) ?? call.body)
    const error = errorOfCall(ending, answer, documents)
    const { usage } = answer
    const { seq } = recorder.record(
      {
        kind: 'llm_call',
        requestDigest: requestDigest(api.surface(call.body), model, digests),
        response: recorder.payloadFromBytes(scrubbedUtf8(text)),
        provider: scrubbedText`${label(provider)}`,
        ...(model === null ? {} : { model: scrubber.text(model, 'received') }),
        ...(request === undefined ? {} : { request }),
        ...(usage === null
          ? {}
          : {
              usage: {
                input_tokens: usage.input,
                output_tokens: usage.output,
                cache_read_tokens: usage.cacheRead,
                cache_write_tokens: usage.cacheWrite,
              },
            }),
        wire: id,
        ...(error === null ? {} : { error: scrubber.value(error, 'received') }),
      },
      scrubber.hits - before,
    )
    calls.add(seq, parts)
  }
}
