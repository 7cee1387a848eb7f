/** The answers of a server over one connection: one record for each, written when it is whole. */
import { headerOf, label, utf8 } from '../../base/index.ts'
import type { HttpHead } from '../../boundaries/session.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import type { BodyScrubber } from '../../scrub/scrubber.ts'
import { type HeaderPairs, type Payload, type PayloadStream, payloadLength } from '../../tape/index.ts'
import { sentDivergence } from '../records/sent-content.ts'
import type { Tools } from '../session/family.ts'
import { issuesSecrets } from './issued-secrets.ts'

const CUT = label('cut')

/** An answer that is being sent. */
type Answer = {
  readonly head: HttpHead
  /** Scrubbed when they were sent; null for an older tape, which did that at the end. */
  readonly headers: { readonly pairs: Scrubbed<HeaderPairs>; readonly hits: number } | null
  readonly lane: BodyScrubber
  readonly body: PayloadStream
  /** Secrets that were replaced in the body so far. */
  hits: number
}

export class SentAnswers {
  readonly #id: number
  readonly #key: string
  /** The effect on the tape; null in a recording. */
  readonly #effect: number | null
  readonly #tools: Tools
  #answer: Answer | null = null

  constructor(id: number, key: string, effect: number | null, tools: Tools) {
    this.#id = id
    this.#key = key
    this.#effect = effect
    this.#tools = tools
  }

  begin(head: HttpHead): void {
    const { scrubber, recorder } = this.#tools
    const contentType = headerOf(head.headers, 'content-type')
    const contentEncoding = headerOf(head.headers, 'content-encoding')
    const lane = scrubber.body({ contentType, contentEncoding }, 'sent')
    const before = scrubber.hits
    // Now: a client in this process gets the head before the answer ends, and the placeholders have numbers.
    const pairs = issuesSecrets(this.#tools.tape) ? this.#headers(head) : null
    const headers = pairs === null ? null : { pairs, hits: scrubber.hits - before }
    this.#answer = { head, headers, lane, body: recorder.payloadStream(), hits: 0 }
  }

  add(bytes: Uint8Array): void {
    const answer = this.#answer
    if (answer === null) return
    const { scrubber } = this.#tools
    const before = scrubber.hits
    answer.body.add(this.#issue(() => answer.lane.push(bytes)))
    answer.hits += scrubber.hits - before
  }

  end(trailers: HeaderPairs, isWhole: boolean): void {
    if (this.#answer === null) return
    const { scrubber, recorder } = this.#tools
    const { head, headers: begun, lane, body, hits } = this.#answer
    this.#answer = null
    const before = scrubber.hits - hits
    for (const chunk of this.#issue(() => lane.end().chunks)) body.add(chunk)
    const payload = body.end()
    const length = payloadLength(payload)
    const isMended = isWhole && scrubber.hits > before
    const headers = begun?.pairs ?? this.#headers(head)
    const kind = {
      kind: 'server_answer',
      of: this.#id,
      status: head.status,
      statusText: scrubber.text(head.statusText, 'sent'),
      headers: isMended ? withLength(headers, length) : headers,
      ...(length === 0 ? {} : { body: payload }),
      ...(trailers.length === 0 ? {} : { trailers: scrubbedHeaders(trailers, scrubber, 'sent') }),
      ...(isWhole ? {} : { ended: CUT }),
    } as const
    this.#compareBody(payload)
    recorder.record(kind, scrubber.hits - before + (begun?.hits ?? 0))
  }

  #headers(head: HttpHead): Scrubbed<HeaderPairs> {
    return this.#issue(() => scrubbedHeaders(head.headers, this.#tools.scrubber, 'sent'))
  }

  /** What the program issues to its clients comes back with their requests. */
  #issue<T>(scrub: () => T): T {
    const { scrubber, tape } = this.#tools
    return issuesSecrets(tape) ? scrubber.issue(scrub) : scrub()
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

/** The length of the scrubbed body: with that of the real one, the length of a secret could be computed. */
function withLength(headers: Scrubbed<HeaderPairs>, length: number): Scrubbed<HeaderPairs> {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-length' ? ([name, scrubbedText`${length}`] as const) : [name, value],
  )
}
