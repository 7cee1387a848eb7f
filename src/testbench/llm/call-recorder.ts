/**
 * Follows the exchanges of a run that are calls of a model. Each writes an `llm_call` when it ends, with
 * success or failure; its exact bytes stay with the exchange that it names.
 */
import { concatBytes } from '../../base/index.ts'
import { bodyDocuments } from '../../llm/documents.ts'
import { apiOfAnswer, type RecognisedCall, recogniseCall } from '../../llm/recognise.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { DescribedRequest } from '../keys/request-key.ts'
import type { CallFollower } from '../records/call-follower.ts'
import { decodedBody, MAX_ANSWER_BYTES } from '../records/decoded-body.ts'
import { KnownParts, requestParts } from './request-ledger.ts'
import { StartRequests } from './start-requests.ts'
import { createCallWriter } from './write-call.ts'

export function createCallRecorder(
  recorder: TapeRecorder,
  scrubber: Scrubber,
): (id: number, request: DescribedRequest) => CallFollower | null {
  const starts = new StartRequests()
  const write = createCallWriter(recorder, scrubber)
  // A message is the same object in each request that contains it.
  const knownParts = new KnownParts()

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
        const documents = bodyDocuments(decodedBody(concatBytes(received), encoding))
        const api = call.api ?? apiOfAnswer(documents)
        const answer = api?.read(documents)
        if (api !== null && answer !== undefined)
          write({ id, call, parts, api, answer, documents, ending: { ...ending, status } })
      },
    }
  }

  return (id, request) => {
    const call = recogniseCall(request)
    return call === null ? null : follow(id, call)
  }
}
