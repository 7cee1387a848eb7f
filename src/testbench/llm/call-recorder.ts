/**
 * Follows the exchanges of a run that are calls of a model. Each leaves an `llm_call` when it ends, well or badly; its exact wire stays with the exchange
 * that it names. Everything is made from what has passed the scrubber, and the answer passes it once more when it is whole: a secret that the model
 * gave in two pieces is found then.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { concatBytes, utf8 } from '../../base/index.ts'
import type { HeaderList } from '../../boundaries/session.ts'
import { fromDisk, type ScrubbedBytes, type ScrubbedJson, type Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { DescribedRequest } from '../request-key.ts'
import type { LlmAnswer } from './answer.ts'
import type { LlmApi } from './api.ts'
import { type Ending, errorOfCall } from './call-error.ts'
import { requestDigest } from './digest.ts'
import { answerDocuments } from './documents.ts'
import { providerOf } from './providers.ts'
import { apiOfAnswer, type RecognisedCall, recogniseCall } from './recognise.ts'
import { RequestLedger, type RequestParts, requestParts } from './request-ledger.ts'
import { responseJson } from './response-json.ts'
import type { JsonObject } from './shape.ts'
import { lineJson, StartRequests } from './start-requests.ts'

/** More of an answer than this is left to the wire. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export type CallFollower = {
  /** What `effect_start` says of the body, if that is all there is to say of it. */
  readonly request: ScrubbedJson | undefined
  /** `effect_start` was written as this record, at this time of the run. */
  started(seq: number, atMs: number): void
  /** The exchange was written, with its status. */
  answered(status: number | null, headers: HeaderList): void
  bytes(bytes: ScrubbedBytes): void
  /** The record that the bytes stand in has been written. */
  written?(atMs: number): void
  /** `encoding` is what the bytes are still wrapped in. */
  ended(ending: Ending, encoding: string): void
}

export function createCallRecorder(recorder: TapeRecorder, scrubber: Scrubber): (id: number, request: DescribedRequest) => CallFollower | null {
  const starts = new StartRequests()
  const calls = new RequestLedger()

  const follow = (id: number, call: RecognisedCall): CallFollower => {
    const parts = requestParts(call.body)
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
        requestDigest: requestDigest(api.surface(call.body), model),
        response: recorder.payloadFromBytes(fromDisk<Uint8Array>(utf8(text))),
        provider: fromDisk<string>(provider),
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

/** What the bytes of an answer are without its content encoding; nothing where they are cut or are not what they say. */
export function decodedBody(bytes: Uint8Array, encoding: string): Uint8Array {
  try {
    return encoding
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .reduceRight((wrapped: Uint8Array, name) => unwrap(wrapped, name), bytes)
  } catch {
    // Cut before its end, or not what it says: the wire has it, the record tells what can be told without it.
    return new Uint8Array(0)
  }
}

function unwrap(bytes: Uint8Array, encoding: string): Uint8Array {
  const limit = { maxOutputLength: MAX_ANSWER_BYTES }
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, limit)
    case 'deflate':
      return inflateSync(bytes, limit)
    case 'br':
      return brotliDecompressSync(bytes, limit)
    default:
      return bytes
  }
}
