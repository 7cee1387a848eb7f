/**
 * Evaluations of decisions, as Harn's newer versions record and replay them: one record per evaluation, and a
 * replay that answers each request once, in the recorded order, and calls nothing.
 *
 * The digest of a record is the id in its receipt. Harn derives that id from the request; here the request
 * itself is compared.
 */
import {
  type ContentHash,
  canonicalJson,
  contentHash,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import type { Scrubber } from '../scrub/index.ts'
import { scrubbedUtf8 } from '../scrub/scrubbed-parts.ts'
import { activeRecorder } from './active-recorder.ts'
import type { EventTape } from './event-tape.ts'

export type DecisionEvaluation = {
  /** `site_id`, `state`, `questions`, `policy`. */
  readonly request: JsonObject
  readonly outcome: Json
  readonly answers: Json
  /** With `evaluation_id` (`blake3:` and 64 hex digits), `source` and `reused_from`. */
  readonly receipt: JsonObject
}

/** Nothing is scrubbed or hashed when no recorder is active. */
export function recordDecisionEvaluation(evaluation: DecisionEvaluation, scrubber: Scrubber): void {
  const recorder = activeRecorder()
  if (recorder === null) return
  const { request, outcome, answers, receipt } = evaluation
  const id = receipt.evaluation_id
  if (!isEvaluationId(id)) throw mismatch('receipt has no evaluation id of the form blake3:<hex>')
  const before = scrubber.hits
  const text = scrubber.jsonText(JSON.stringify({ request, outcome, answers, receipt }), 'received')
  const response = recorder.payloadFromBytes(scrubbedUtf8(text))
  recorder.record({ kind: 'decision_evaluation', requestDigest: id, response }, scrubber.hits - before)
}

export type EvaluationReplay = {
  /**
   * The recorded evaluation of this request. Throws where the next record is another one, or there is none.
   */
  next(request: JsonObject): DecisionEvaluation
  /** Throws if a record was not requested, or if `next` has failed, even where the program caught that. */
  finish(): void
}

/** `scrubber`: the one of the recording, because the requests on the tape are scrubbed. */
export function replayEvaluations(tape: EventTape, scrubber: Scrubber): EvaluationReplay {
  const recorded = [...evaluationsOf(tape)]
  let at = 0
  let failure: RepriseError | null = null
  const failed = (why: string): RepriseError => {
    failure ??= mismatch(why)
    return failure
  }
  return {
    next(request) {
      const evaluation = recorded[at]
      if (evaluation === undefined) throw failed(`missing record for site ${siteOf(request)}`)
      const scrubbed: Json = JSON.parse(scrubber.jsonText(JSON.stringify(request), 'received'))
      if (canonicalJson(scrubbed) !== canonicalJson(evaluation.request)) {
        throw failed(
          `record ${at} is of site ${siteOf(evaluation.request)}, and its request is not the one of site ${siteOf(request)}`,
        )
      }
      at += 1
      return evaluation
    },
    finish() {
      if (failure !== null) throw failure
      const next = recorded[at]
      if (next !== undefined)
        throw failed(`${recorded.length - at} unconsumed record(s); next site ${siteOf(next.request)}`)
    },
  }
}

function* evaluationsOf(tape: EventTape): Generator<DecisionEvaluation> {
  for (const { kind } of tape.records) {
    if (kind.kind === 'tape_seal') continue
    if (kind.kind !== 'decision_evaluation') throw mismatch('unexpected non-evaluation record')
    const bytes = tape.resolvePayload(kind.response)
    if (contentHash(bytes) !== kind.response.contentHash) throw mismatch('record payload hash mismatch')
    const evaluation = readEvaluation(Buffer.from(bytes).toString('utf8'))
    if (evaluation.receipt.evaluation_id !== kind.requestDigest)
      throw mismatch('record request digest mismatch')
    const { source, reused_from: reused = null } = evaluation.receipt
    if (source !== 'live' || reused !== null)
      throw mismatch('record receipt is not that of a live evaluation')
    yield evaluation
  }
}

const MEMBERS = ['request', 'outcome', 'answers', 'receipt']

function readEvaluation(text: string): DecisionEvaluation {
  let value: Json
  try {
    value = parseJson(text)
  } catch {
    throw mismatch('record payload is not JSON')
  }
  if (!isObject(value) || Object.keys(value).some((name) => !MEMBERS.includes(name)))
    throw mismatch('record payload is no evaluation')
  const { request, outcome, answers, receipt } = value
  if (!isObject(request) || !isObject(receipt) || outcome === undefined || answers === undefined)
    throw mismatch('record payload is no evaluation')
  return { request, outcome, answers, receipt }
}

function siteOf(request: JsonObject): string {
  return typeof request.site_id === 'string' ? request.site_id : '(none)'
}

function isEvaluationId(value: unknown): value is ContentHash {
  return typeof value === 'string' && /^blake3:[0-9a-f]{64}$/.test(value)
}

function mismatch(why: string): RepriseError {
  return new RepriseError('evaluation-mismatch', `evaluation replay mismatch: ${why}`, {
    hint: 'record the evaluations again',
  })
}
