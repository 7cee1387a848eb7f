/**
 * Follows the streams of one HTTP/2 connection that are calls of a model. Each writes an `llm_call` when its
 * stream ends; its frames stay on the connection that it names.
 *
 * Decision 0372.
 */
import { concatBytes, headerOf } from '../../base/index.ts'
import type { HeaderList } from '../../boundaries/session.ts'
import { bodyDocuments } from '../../llm/documents.ts'
import { apiOfAnswer, recogniseCall } from '../../llm/recognise.ts'
import type { ScrubbedBytes, Scrubber } from '../../scrub/index.ts'
import { concatScrubbed } from '../../scrub/scrubbed-parts.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { Ending } from '../records/call-follower.ts'
import { decodedBody, MAX_ANSWER_BYTES } from '../records/decoded-body.ts'
import { KnownParts, requestParts } from './request-ledger.ts'
import { createCallWriter, type EndedCall } from './write-call.ts'

/** One request and its response. Headers are scrubbed. */
type OpenStream = {
  readonly headers: HeaderList
  readonly body: ScrubbedBytes[]
  answer: HeaderList
  readonly received: ScrubbedBytes[]
  bytes: number
}

export class StreamCalls {
  readonly #id: number
  readonly #write: (ended: EndedCall) => void
  readonly #known: KnownParts
  readonly #streams = new Map<number, OpenStream>()

  constructor(id: number, write: (ended: EndedCall) => void, known: KnownParts) {
    this.#id = id
    this.#write = write
    this.#known = known
  }

  /** The request of a stream. Only JSON can be a call. */
  asked(stream: number, headers: HeaderList): void {
    if (this.#streams.has(stream) || headerOf(headers, ':method') !== 'POST') return
    if (!/json/i.test(headerOf(headers, 'content-type') ?? '')) return
    this.#streams.set(stream, { headers, body: [], answer: [], received: [], bytes: 0 })
  }

  sent(stream: number, bytes: ScrubbedBytes): void {
    const open = this.#streams.get(stream)
    if (open !== undefined && this.#takes(open, bytes)) open.body.push(bytes)
  }

  answered(stream: number, headers: HeaderList): void {
    const open = this.#streams.get(stream)
    if (open !== undefined && headerOf(headers, ':status') !== undefined) open.answer = headers
  }

  received(stream: number, bytes: ScrubbedBytes): void {
    const open = this.#streams.get(stream)
    if (open !== undefined && this.#takes(open, bytes)) open.received.push(bytes)
  }

  ended(stream: number, ending: Ending): void {
    const open = this.#streams.get(stream)
    if (open === undefined) return
    this.#streams.delete(stream)
    const { headers, answer } = open
    const url = `${headerOf(headers, ':scheme')}://${headerOf(headers, ':authority')}${headerOf(headers, ':path')}`
    const call = recogniseCall({ method: 'POST', url, body: concatScrubbed(open.body) })
    if (call === null) return
    const encoding = headerOf(answer, 'content-encoding') ?? ''
    const documents = bodyDocuments(decodedBody(concatBytes(open.received), encoding))
    const api = call.api ?? apiOfAnswer(documents)
    if (api === null) return
    const status = Number(headerOf(answer, ':status') ?? Number.NaN)
    this.#write({
      id: this.#id,
      call,
      parts: requestParts(call.body, this.#known),
      api,
      answer: api.read(documents),
      documents,
      ending: { ...ending, status: Number.isNaN(status) ? null : status },
    })
  }

  /** The connection has ended. */
  allEnded(ending: Ending): void {
    for (const stream of [...this.#streams.keys()]) this.ended(stream, ending)
  }

  #takes(open: OpenStream, { byteLength }: ScrubbedBytes): boolean {
    open.bytes += byteLength
    return open.bytes <= MAX_ANSWER_BYTES
  }
}

export function createStreamCalls(recorder: TapeRecorder, scrubber: Scrubber): (id: number) => StreamCalls {
  const write = createCallWriter(recorder, scrubber)
  const known = new KnownParts()
  return (id) => new StreamCalls(id, write, known)
}
