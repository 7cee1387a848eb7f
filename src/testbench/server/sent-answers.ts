/** The answers of a server over one connection: one record for each, written when it is whole. */
import { headerOf, label, utf8 } from '../../base/index.ts'
import type { HttpHead } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedText } from '../../scrub/index.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import { noScrubbedBytes, scrubbedText } from '../../scrub/scrubbed-parts.ts'
import type { BodyHead, BodyScrubber } from '../../scrub/scrubber.ts'
import {
  type HeaderPairs,
  type Kind,
  type Payload,
  type PayloadStream,
  payloadLength,
} from '../../tape/index.ts'
import { sentDivergence } from '../records/sent-content.ts'
import type { Tools } from '../session/family.ts'
import { issuesSecrets } from './issued-secrets.ts'

const CUT = label('cut')

/** An answer that is being sent. */
type Answer = {
  readonly head: HttpHead
  /** Scrubbed when they were sent; null for an older tape, which did that at the end. */
  readonly headers: Scrubbed<HeaderPairs> | null
  readonly headerHits: number
  readonly lane: BodyScrubber
  /** The first bytes of the body, which most often are all of them. */
  first: ScrubbedBytes | null
  /** A body in several pieces. */
  stream: PayloadStream | null
  /** Secrets that were replaced in the body so far. */
  hits: number
}

export class SentAnswers {
  readonly #id: number
  readonly #key: string
  /** The effect on the tape; null in a recording. */
  readonly #effect: number | null
  readonly #tools: Tools
  readonly #issues: boolean
  #answer: Answer | null = null

  constructor(id: number, key: string, effect: number | null, tools: Tools) {
    this.#id = id
    this.#key = key
    this.#effect = effect
    this.#tools = tools
    this.#issues = issuesSecrets(tools.tape)
  }

  begin(head: HttpHead): void {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    // Now: a client in this process gets the head before the answer ends, and the placeholders have numbers.
    const headers = this.#issues ? this.#headers(head) : null
    const headerHits = headers === null ? 0 : scrubber.hits - before
    const lane = scrubber.body(bodyHead(head.headers), 'sent')
    this.#answer = { head, headers, headerHits, lane, first: null, stream: null, hits: 0 }
  }

  /** The bytes never change. */
  add(bytes: Uint8Array): void {
    const answer = this.#answer
    if (answer === null) return
    const { scrubber } = this.#tools
    const before = scrubber.hits
    this.#keep(
      answer,
      this.#issue(() => answer.lane.push(bytes)),
    )
    answer.hits += scrubber.hits - before
  }

  end(trailers: HeaderPairs, isWhole: boolean): void {
    const answer = this.#answer
    if (answer === null) return
    this.#answer = null
    const { scrubber, recorder } = this.#tools
    const { head, headers: begun, headerHits, lane, hits } = answer
    const before = scrubber.hits - hits
    for (const chunk of this.#issue(() => lane.end().chunks)) this.#keep(answer, chunk)
    const payload = answer.stream?.end() ?? recorder.payloadFromBytes(answer.first ?? noScrubbedBytes)
    const isMended = isWhole && scrubber.hits > before
    const headers = begun ?? this.#headers(head)
    const kind = answerKind(
      this.#id,
      head.status,
      scrubber.text(head.statusText, 'sent'),
      isMended ? withLength(headers, payloadLength(payload)) : headers,
      isEmpty(payload) ? null : payload,
    )
    const isPlain = isWhole && trailers.length === 0
    const rest = isPlain ? null : this.#rest(trailers, isWhole)
    this.#compareBody(payload)
    recorder.record(rest === null ? kind : { ...kind, ...rest }, scrubber.hits - before + headerHits)
  }

  #keep(answer: Answer, bytes: ScrubbedBytes): void {
    if (bytes.byteLength === 0) return
    if (answer.first === null) {
      answer.first = bytes
      return
    }
    if (answer.stream === null) {
      answer.stream = this.#tools.recorder.payloadStream()
      answer.stream.add(answer.first)
    }
    answer.stream.add(bytes)
  }

  #rest(trailers: HeaderPairs, isWhole: boolean) {
    return {
      ...(trailers.length === 0 ? {} : { trailers: scrubbedHeaders(trailers, this.#tools.scrubber, 'sent') }),
      ...(isWhole ? {} : { ended: CUT }),
    }
  }

  #headers(head: HttpHead): Scrubbed<HeaderPairs> {
    return this.#issue(() => scrubbedHeaders(head.headers, this.#tools.scrubber, 'answered'))
  }

  /** What the program issues to its clients comes back with their requests. */
  #issue<T>(scrub: () => T): T {
    return this.#issues ? this.#tools.scrubber.issue(scrub) : scrub()
  }

  /** The judge shows two hashes for two bodies; this shows where they differ. */
  #compareBody(payload: Payload): void {
    const { tape, diverge, mayDiffer } = this.#tools
    // After an edit another answer is what the run was made for.
    if (mayDiffer()) return
    const effect = this.#effect
    const next = tape?.next((kind) => kind.kind === 'server_answer' && kind.of === effect) ?? null
    if (tape === null || next === null || next.kind.kind !== 'server_answer') return
    const { body } = next.kind
    if (body?.form !== 'inline' || payload.form !== 'inline' || body.text === payload.text) return
    const what = `the answer over ${this.#key}`
    const divergence = sentDivergence(next.seq, utf8(body.text), utf8(payload.text), what)
    if (divergence !== null) diverge(divergence)
  }
}

function bodyHead(headers: HeaderPairs): BodyHead {
  const contentType = headerOf(headers, 'content-type')
  const contentEncoding = headerOf(headers, 'content-encoding')
  return { contentType, contentEncoding, isOwned: true, isUsedAtOnce: true }
}

/** Written out: an object that is put together of parts costs more than all else here. */
function answerKind(
  of: number,
  status: number,
  statusText: ScrubbedText,
  headers: Scrubbed<HeaderPairs>,
  body: Scrubbed<Payload> | null,
): Scrubbed<Kind<'server_answer'>> {
  return body === null
    ? { kind: 'server_answer', of, status, statusText, headers }
    : { kind: 'server_answer', of, status, statusText, headers, body }
}

function isEmpty(payload: Payload): boolean {
  return payload.form === 'inline' && payload.text === ''
}

/** The length of the scrubbed body: with that of the real one, the length of a secret could be computed. */
function withLength(headers: Scrubbed<HeaderPairs>, length: number): Scrubbed<HeaderPairs> {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-length' ? ([name, scrubbedText`${length}`] as const) : [name, value],
  )
}
