/**
 * Follows the exchanges of a run that are calls of a model. Each leaves an `llm_call` when it ends, well or
 * badly; its exact wire stays with the exchange that it names. Everything is made from what has passed the
 * scrubber, and the answer passes it once more when it is whole: a secret that the model gave in two pieces
 * is found then.
 */
import { concatBytes, GrowingHash, type JsonObject, label } from '../../base/index.ts'
import type { LlmAnswer } from '../../llm/answer.ts'
import type { LlmApi } from '../../llm/api.ts'
import { type DigestMemory, requestDigest } from '../../llm/digest.ts'
import { answerDocuments } from '../../llm/documents.ts'
import { providerOf } from '../../llm/providers.ts'
import { apiOfAnswer, type RecognisedCall, recogniseCall } from '../../llm/recognise.ts'
import { responseJson } from '../../llm/response-json.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { scrubbedText, scrubbedUtf8 } from '../../scrub/scrubbed-parts.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { DescribedRequest } from '../keys/request-key.ts'
import type { CallFollower, Ending } from '../records/call-follower.ts'
import { decodedBody, MAX_ANSWER_BYTES } from '../records/decoded-body.ts'
import { errorOfCall } from './call-error.ts'
import { type KnownParts, RequestLedger, type RequestParts, requestParts } from './request-ledger.ts'
import { lineJson, StartRequests } from './start-requests.ts'

export function createCallRecorder(
  recorder: TapeRecorder,
  scrubber: Scrubber,
): (id: number, request: DescribedRequest) => CallFollower | null {
  const starts = new StartRequests()
  const calls = new RequestLedger()
  // A message is the same object in each request that contains it.
  const knownParts: KnownParts = new WeakMap()
  const digests: DigestMemory = { printed: new WeakMap(), hashes: new GrowingHash() }

  const follow = (id: number, call: RecognisedCall): CallFollower => {
    const parts = requestParts(call.body, knownParts)
    const request = starts.lineOf(call, parts)
    const received: Uint8Array[] = []
    let receivedBytes = 0
    let status: number | null = null

    return {
      request,
      started: (seq) => starts.started(id, seq, call, parts, request),
      answered(code) {
        status = code
        starts.answered(id)
      },
      bytes(bytes) {
        receivedBytes += bytes.byteLength
        if (receivedBytes <= MAX_ANSWER_BYTES) received.push(bytes)
      },
      ended(ending, encoding) {
        starts.ended(id)
        const documents = answerDocuments(decodedText(concatBytes(received), encoding))
        const api = call.api ?? apiOfAnswer(documents)
        if (api !== null) write(id, call, parts, api, api.read(documents), documents, { ...ending, status })
      },
    }
  }

  const write = (
    id: number,
    call: RecognisedCall,
    parts: RequestParts,
    api: LlmApi,
    answer: LlmAnswer,
    documents: readonly JsonObject[],
    ending: Ending & { readonly status: number | null },
  ): void => {
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

  return (id, request) => {
    const call = recogniseCall(request)
    return call === null ? null : follow(id, call)
  }
}

function decodedText(bytes: Uint8Array, encoding: string): string {
  return Buffer.from(decodedBody(bytes, encoding)).toString('utf8')
}
