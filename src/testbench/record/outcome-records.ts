/**
 * Outcomes as records, for one effect: a timer that fired, the head of an answer, its chunks, its end. The bytes of an answer pass the scrubber
 * on their way to the tape; what it holds back of a chunk is written with a later one, and `held` says how much, so that a replay cuts the stream
 * where the world cut it.
 */
import { decimalText, headerOf, label } from '../../base/index.ts'
import type { Answer, Outcome } from '../../boundaries/session.ts'
import type { BodyEnd, BodyScrubber, Scrubbed, ScrubbedJson, Scrubber } from '../../scrub/index.ts'
import { concatScrubbed } from '../../scrub/scrubbed-parts.ts'
import type { Kind, Payload, RecordKind, TapeRecorder } from '../../tape/index.ts'
import type { DescribedRequest } from '../keys/request-key.ts'
import { type AnswerWriter, isAnswer, jsonOf } from '../records/answers.ts'
import type { CallFollower, Ending } from '../records/call-follower.ts'
import type { OutcomeWriter } from '../records/outcome-writer.ts'
import { scrubbedHeaders } from '../records/scrubbed-headers.ts'

const BY_PROGRAM = label('program')
const SAME_TURN = label('same')
const NOTHING_HELD: BodyEnd = { chunks: [], decoded: false, scrubbed: 0 }

/** Of an effect that is no request. Most of those get one answer and nothing else, and then the rest is never made. */
export function plainWriter(id: number, recorder: TapeRecorder, scrubber: Scrubber, answer: AnswerWriter): OutcomeWriter {
  let others: OutcomeWriter | null = null
  return {
    get isHolding() {
      return others?.isHolding === true
    },
    write(outcome, together) {
      if (isAnswer(outcome)) {
        answer(outcome, { of: id })
        return
      }
      others ??= outcomeWriter(id, null, recorder, scrubber, answer)
      others.write(outcome, together)
    },
    abandon: () => others?.abandon(),
  }
}

/** `call` follows an exchange that is a call of a model, or carries MCP. */
export function outcomeWriter(
  id: number,
  request: DescribedRequest | null,
  recorder: TapeRecorder,
  scrubber: Scrubber,
  answer: AnswerWriter,
  call: CallFollower | null = null,
): OutcomeWriter {
  let body: BodyScrubber | null = null
  let encoding = ''
  let n = 0
  let headSeen = false
  let ended = false
  let unwrapped = false

  const kindOf = (outcome: Exclude<Outcome, Answer>, together: boolean): Scrubbed<RecordKind> => {
    switch (outcome.type) {
      case 'timer':
        return { kind: 'timer_fire', id }
      case 'completion':
        return { kind: 'completion', of: id }
      case 'head': {
        headSeen = true
        call?.answered(outcome.status, outcome.headers)
        encoding = headerOf(outcome.headers, 'content-encoding') ?? ''
        body = scrubber.body({ contentType: headerOf(outcome.headers, 'content-type'), contentEncoding: encoding || undefined }, 'received')
        const statusText = scrubber.text(outcome.statusText, 'received')
        const responseHeaders = scrubbedHeaders(outcome.headers, scrubber, 'received')
        const { method, url, headers: requestHeaders } = asked()
        // Written out: this is made for every answer, and taking an object apart costs more than all else here.
        const head = { kind: 'http_exchange', id, method, url, requestHeaders, status: outcome.status, statusText, responseHeaders } as const
        const requestBody = bodyOf()
        const version = outcome.httpVersion
        if (requestBody === null && version === undefined) return head
        return { ...head, ...(requestBody === null ? {} : { requestBody }), ...(version === undefined ? {} : { httpVersion: decimalText(version) }) }
      }
      case 'chunk': {
        body ??= scrubber.body({}, 'received')
        const bytes = body.push(outcome.bytes)
        call?.bytes(bytes)
        const data = recorder.chunkFromBytes(bytes)
        const { held } = body
        const at = n
        n += 1
        if (held === 0 && together) return { kind: 'stream_chunk', of: id, n: at, direction: 'in', data, turn: SAME_TURN }
        const chunk = { kind: 'stream_chunk', of: id, n: at, direction: 'in', data } as const
        if (held === 0) return chunk
        return together ? { ...chunk, held, turn: SAME_TURN } : { ...chunk, held }
      }
      case 'end': {
        const trailers = outcome.trailers.length === 0 ? null : scrubbedHeaders(outcome.trailers, scrubber, 'received')
        const end = trailers === null ? ending(null) : { ...ending(null), trailers }
        return together ? { ...end, turn: SAME_TURN } : end
      }
      case 'terminal_exit':
      case 'exit':
        throw new Error('only a subprocess ends')
      case 'error': {
        const error = scrubber.value(jsonOf(outcome.error), 'received')
        if (request !== null && !headSeen) {
          call?.answered(null, [])
          const { method, url, headers: requestHeaders } = asked()
          const failed = { kind: 'http_exchange', id, method, url, requestHeaders, status: null, responseHeaders: [], error } as const
          const requestBody = bodyOf()
          return requestBody === null ? failed : { ...failed, requestBody }
        }
        return together ? { ...ending(error), turn: SAME_TURN } : ending(error)
      }
    }
  }

  const asked = (): DescribedRequest => {
    if (request === null) throw new Error('an answer without a request')
    return request
  }

  /** The body of a call that stands in its `effect_start` is not written again. */
  const bodyOf = (): Scrubbed<Payload> | null =>
    request === null || request.body === null || call?.request !== undefined ? null : recorder.payloadFromBytes(request.body)

  const ending = (error: ScrubbedJson): Scrubbed<Kind<'stream_end'>> => {
    const rest = body?.end() ?? NOTHING_HELD
    unwrapped = rest.decoded
    const end = { kind: 'stream_end', of: id, error } as const
    if (rest.chunks.length === 0) return end
    const bytes = concatScrubbed(rest.chunks)
    call?.bytes(bytes)
    return {
      ...end,
      ...(bytes.byteLength === 0 ? {} : { tail: recorder.chunkFromBytes(bytes) }),
      ...(rest.decoded ? { decoded: label(encoding.replace(/[^A-Za-z0-9-]+/g, '-')) } : {}),
    }
  }

  const record = (kind: Scrubbed<RecordKind>, hitsBefore: number): void => {
    const { monotonicMs } = recorder.record(kind, scrubber.hits - hitsBefore)
    call?.written?.(monotonicMs)
  }

  const endCall = (ending: Ending): void => {
    if (ended) return
    ended = true
    call?.ended(ending, unwrapped ? '' : encoding)
  }

  return {
    get isHolding() {
      return body !== null && body.held > 0
    },
    write(outcome, together = false) {
      if (isAnswer(outcome)) {
        answer(outcome, { of: id })
        return
      }
      const before = scrubber.hits
      record(kindOf(outcome, together), before)
      if (outcome.type === 'end') endCall({ type: 'end' })
      if (outcome.type === 'error') endCall({ type: 'error', error: scrubber.value(jsonOf(outcome.error), 'received') })
      if (outcome.type === 'end' || outcome.type === 'error') body = null
    },
    abandon() {
      const before = scrubber.hits
      if (body !== null && body.held > 0) record({ ...ending(null), closedBy: BY_PROGRAM }, before)
      body = null
      endCall({ type: 'abandoned' })
    },
  }
}
