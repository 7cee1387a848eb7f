/**
 * A `stream_chunk` that is not written yet: further chunks of its stream may join it, until another record
 * comes or the tick ends. The record then has the bytes of all, and `parts` with the length of each.
 *
 * Only chunks whose bytes are text, that hold nothing back and that contain no secret are joined: a replay
 * splits them at the same places.
 *
 * Decision 0510.
 */
import type { Scrubbed, ScrubbedText } from '../scrub/index.ts'
import { joinScrubbed } from '../scrub/scrubbed-parts.ts'
import type { Kind } from './kinds.ts'
import type { TapeRecord } from './record.ts'

/** What one record may have. A single chunk has a quarter of it at most, more is in the CAS. */
const MAX_SHARED_BYTES = 16 * 1024

/** The text of one chunk and its length in bytes. */
export type ChunkText = { readonly text: ScrubbedText; readonly bytes: number }

export class GrowingChunk {
  readonly record: Scrubbed<TapeRecord>
  readonly #kind: Scrubbed<Kind<'stream_chunk'>>
  readonly #texts: ScrubbedText[]
  readonly #parts: number[]
  #bytes: number

  constructor(record: Scrubbed<TapeRecord>, kind: Scrubbed<Kind<'stream_chunk'>>, first: ChunkText) {
    this.record = record
    this.#kind = kind
    this.#texts = [first.text]
    this.#parts = [first.bytes]
    this.#bytes = first.bytes
  }

  /** False if the chunk needs a record of its own. */
  join(of: number, { text, bytes }: ChunkText): boolean {
    if (of !== this.#kind.of || this.#bytes + bytes > MAX_SHARED_BYTES) return false
    this.#texts.push(text)
    this.#parts.push(bytes)
    this.#bytes += bytes
    return true
  }

  /** The record with everything that joined it. */
  whole(): Scrubbed<TapeRecord> {
    if (this.#parts.length === 1) return this.record
    const { kind, of, n, direction, turn } = this.#kind
    const joined = { form: 'text', text: joinScrubbed(this.#texts, '') } as const
    const { data: first } = this.#kind
    const asEvents = first.form === 'text' && first.asEvents
    const data = asEvents === true ? { ...joined, asEvents } : joined
    const parts = this.#parts
    return {
      ...this.record,
      kind:
        turn === undefined
          ? { kind, of, n, direction, data, parts }
          : { kind, of, n, direction, data, turn, parts },
    }
  }
}
