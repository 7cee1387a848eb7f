/**
 * One incoming byte stream of an effect: its chunks and its end as records, and back. Bytes that the scrubber
 * holds back are written with a later record; `held` is their number, so that a replay splits the stream at
 * the recorded offsets.
 */
import { type Json, type Label, label } from '../../base/index.ts'
import { errorFactsOf } from '../../boundaries/errors.ts'
import type { ErrorFacts, HeaderList } from '../../boundaries/session.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedJson } from '../../scrub/index.ts'
import { concatScrubbed, scrubbedText } from '../../scrub/scrubbed-parts.ts'
import type { Chunk, Kind, TapeRecord, TapeRecorder } from '../../tape/index.ts'
import { areLengthsOf, slicesOf } from '../../tape/separate-chunks.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { jsonOf } from '../records/answers.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import type { Delivery, Recorded } from './delivery.ts'
import { encodedAgain } from './encoded-again.ts'
import type { ByteLane, Received } from './received.ts'

const BY_PROGRAM = label('program')
const SAME_TURN = label('same')

export type StreamPart = Kind<'stream_chunk' | 'stream_end'>

/** What has been written for one delivery. */
export type Written = {
  readonly bytes: ScrubbedBytes | null
  readonly decoded: boolean
  readonly atMs: number
}

export class StreamCode {
  readonly #of: number
  readonly #recorder: TapeRecorder
  readonly #received: Received
  #lane: ByteLane | null
  #encoding: string
  readonly #shares: boolean
  #n = 0

  /** `lane`: if it is not a plain stream of bytes. `shares`: chunks of one turn may share a record. */
  constructor(
    of: number,
    recorder: TapeRecorder,
    received: Received,
    lane: ByteLane | null = null,
    encoding = '',
    shares = false,
  ) {
    this.#of = of
    this.#recorder = recorder
    this.#received = received
    this.#lane = lane
    this.#encoding = encoding
    this.#shares = shares
  }

  /** Bytes that the program has and the tape does not have yet. */
  get held(): number {
    return this.#lane?.held ?? 0
  }

  /** Null if the bytes get no separate record. */
  chunk(bytes: Uint8Array, together: boolean, recorded: Recorded | undefined): Written | null {
    const before = this.#received.hits
    this.#lane ??= this.#received.stream()
    const heldBefore = this.#lane.held
    const clean = this.#lane.push(bytes, recorded)
    if (recorded?.isPart === true) return null
    const data = this.#recorder.chunkFromBytes(clean)
    const { held } = this.#lane
    // A chunk whose bytes are all written with it, unchanged.
    const isPlain =
      held === 0 &&
      heldBefore === 0 &&
      clean.byteLength === bytes.byteLength &&
      (recorded === undefined ? this.#received.hits === before : recorded.at.scrubbed === undefined)
    if (this.#shares && isPlain && data.form === 'text' && clean.byteLength > 0)
      return this.#sharedChunk(clean, data, together, recorded)
    const n = this.#n
    this.#n += 1
    const kind = together ? this.#joinedChunk(n, data, held) : this.#ownChunk(n, data, held)
    return { bytes: clean, decoded: false, atMs: this.#write(kind, before, recorded) }
  }

  // Written out: these run for every chunk, and spreading an object costs more than everything else here.
  #ownChunk(n: number, data: Scrubbed<Chunk>, held: number): Scrubbed<Kind<'stream_chunk'>> {
    return held === 0
      ? { kind: 'stream_chunk', of: this.#of, n, direction: 'in', data }
      : { kind: 'stream_chunk', of: this.#of, n, direction: 'in', data, held }
  }

  #joinedChunk(n: number, data: Scrubbed<Chunk>, held: number): Scrubbed<Kind<'stream_chunk'>> {
    return held === 0
      ? { kind: 'stream_chunk', of: this.#of, n, direction: 'in', data, turn: SAME_TURN }
      : { kind: 'stream_chunk', of: this.#of, n, direction: 'in', data, held, turn: SAME_TURN }
  }

  /** Joins the record before, if the chunk came in its turn; a replay joins what the recording joined. */
  #sharedChunk(
    bytes: ScrubbedBytes,
    data: Scrubbed<Extract<Chunk, { readonly form: 'text' }>>,
    together: boolean,
    recorded: Recorded | undefined,
  ): Written {
    const chunk = { text: data.text, bytes: bytes.byteLength }
    const mayJoin = recorded === undefined ? together : recorded.joins === true
    let record = mayJoin ? this.#recorder.join(this.#of, chunk) : null
    if (record === null) {
      const asEvents = recorded === undefined || recorded.asEvents
      const written = asEvents === true ? { ...data, asEvents } : data
      const kind = { kind: 'stream_chunk', of: this.#of, n: this.#n, direction: 'in', data: written } as const
      record = this.#recorder.recordGrowing(together ? { ...kind, turn: SAME_TURN } : kind, chunk)
    }
    this.#n += 1
    return { bytes, decoded: false, atMs: record.monotonicMs }
  }

  end(trailers: HeaderList, together: boolean, recorded: Recorded | undefined): Written {
    const before = this.#received.hits
    const headers = trailers.length === 0 ? null : this.#received.headers(trailers)
    const { kind, bytes, decoded } = this.#ending(null, recorded)
    const end = headers === null ? kind : { ...kind, trailers: headers }
    return {
      bytes,
      decoded,
      atMs: this.#write(together ? { ...end, turn: SAME_TURN } : end, before, recorded),
    }
  }

  error(error: ErrorFacts, together: boolean, recorded: Recorded | undefined): Written {
    const before = this.#received.hits
    const facts = this.#received.value(jsonOf(error))
    const { kind, bytes, decoded } = this.#ending(facts, recorded)
    return {
      bytes,
      decoded,
      atMs: this.#write(together ? { ...kind, turn: SAME_TURN } : kind, before, recorded),
    }
  }

  /** The program wants no more. Null if nothing is held back. */
  abandon(): Written | null {
    if (this.held === 0) return null
    const before = this.#received.hits
    const { kind, bytes, decoded } = this.#ending(null, undefined)
    return { bytes, decoded, atMs: this.#write({ ...kind, closedBy: BY_PROGRAM }, before, undefined) }
  }

  #ending(error: ScrubbedJson, recorded: Recorded | undefined) {
    const rest = this.#lane?.end(recorded) ?? { chunks: [], decoded: false }
    this.#lane = null
    if (rest.withheld === true)
      this.#recorder.record({ kind: 'gap', boundary: label('network'), reason: WITHHELD })
    const end = { kind: 'stream_end', of: this.#of, error } as const
    if (rest.chunks.length === 0) return { kind: end, bytes: null, decoded: rest.decoded }
    const bytes = concatScrubbed(rest.chunks)
    const kind = {
      ...end,
      ...(bytes.byteLength === 0 ? {} : { tail: this.#recorder.chunkFromBytes(bytes) }),
      ...(rest.decoded ? { decoded: label(this.#encoding.replace(/[^A-Za-z0-9-]+/g, '-')) } : {}),
    }
    return { kind, bytes, decoded: rest.decoded }
  }

  #write(kind: Scrubbed<StreamPart>, before: number, recorded: Recorded | undefined): number {
    return this.#recorder.record(kind, recorded?.at.scrubbed ?? this.#received.hits - before).monotonicMs
  }
}

const NOTHING = Buffer.alloc(0)
const WITHHELD = scrubbedText`a secret in a compressed body above 16 MiB: the rest of the body is not recorded`

/**
 * Reads the deliveries of one stream from its records, split at the recorded offsets. A chunk may need bytes
 * that were held back and are in later records: they are read ahead, once. A body that is stored decoded is
 * encoded again, and is split where possible.
 */
export class StreamDecoder {
  readonly #resolve: TapePayloads
  readonly #ahead: () => Iterable<StreamPart>
  /** Bytes that have been added and not yet returned. */
  #pending: Buffer = NOTHING
  /** How many parts have been added to the bytes, and how many have been delivered. */
  #added = 0
  #turns = 0
  /** Bytes written by the delivered parts, and bytes returned. */
  #released = 0
  #given = 0

  /** `ahead` returns the parts of this stream that have not been delivered. */
  constructor(resolve: TapePayloads, ahead: () => Iterable<StreamPart>) {
    this.#resolve = resolve
    this.#ahead = ahead
  }

  decode(at: TapeRecord, part: StreamPart): Delivery[] {
    const stream: { readonly stream?: Label } = part.stream === undefined ? {} : { stream: part.stream }
    const together = part.turn === 'same'
    if (part.kind === 'stream_chunk') {
      const isInStep = this.#given === this.#released
      const plain: Recorded = 'asEvents' in part.data ? { at, asEvents: true } : { at }
      const bytes = this.#chunk(part)
      if (part.parts !== undefined && part.held === undefined && isInStep && areLengthsOf(part.parts, bytes))
        return splitChunk(bytes, part.parts, plain, stream, together)
      // If a secret was longer than its placeholder, more may have been delivered than was written by then.
      const recorded =
        part.held === undefined && isInStep
          ? plain
          : { at, held: { bytes: part.held ?? 0, written: chunkBytes(part.data) } }
      return [{ outcome: { type: 'chunk', bytes, ...stream }, recorded, together }]
    }
    const rest = this.#rest(part)
    const recorded = part.decoded === undefined ? { at } : { at, decoded: part.decoded }
    const outcome =
      part.error === null
        ? ({ type: 'end', trailers: part.trailers ?? [], ...stream } as const)
        : ({ type: 'error', error: errorFactsOf(part.error as Json), ...stream } as const)
    const last: Delivery = { outcome, recorded, together }
    if (rest.byteLength === 0) return [last]
    return [
      { outcome: { type: 'chunk', bytes: rest, ...stream }, recorded: { at, isPart: true }, together },
      last,
    ]
  }

  #chunk(part: Kind<'stream_chunk'>): Uint8Array {
    const bytes = this.#resolve(part.data)
    this.#released += bytes.byteLength
    if (
      this.#turns === this.#added &&
      this.#pending.length === 0 &&
      this.#released === this.#given + bytes.byteLength &&
      part.held === undefined
    ) {
      this.#turns += 1
      this.#added += 1
      this.#given += bytes.byteLength
      // The bytes of the record itself are not delivered: the program may write into them.
      return part.data.form === 'base64' ? Buffer.from(bytes) : bytes
    }
    this.#add(part, bytes)
    return this.#upTo(this.#released + (part.held ?? 0))
  }

  /** The rest when the stream ends; empty unless a scrubbed body is longer than the original. */
  #rest(part: Kind<'stream_end'>): Uint8Array {
    this.#add(part)
    return this.#upTo(this.#given + this.#pending.length)
  }

  #add(part: StreamPart, known?: Uint8Array): void {
    this.#turns += 1
    if (this.#turns > this.#added) this.#append(part, known)
  }

  #append(part: StreamPart, known?: Uint8Array): void {
    this.#added += 1
    const chunk = part.kind === 'stream_chunk' ? part.data : part.tail
    if (chunk === undefined) return
    const bytes = known ?? this.#resolve(chunk)
    this.#pending = Buffer.concat([
      this.#pending,
      part.kind === 'stream_end' ? encodedAgain(part, bytes) : bytes,
    ])
  }

  #upTo(end: number): Uint8Array {
    const wanted = Math.max(0, end - this.#given)
    if (this.#pending.length < wanted) this.#fetch(wanted)
    const bytes = this.#pending.subarray(0, wanted)
    this.#pending = this.#pending.subarray(bytes.length)
    this.#given += bytes.length
    return bytes
  }

  #fetch(wanted: number): void {
    let known = this.#added - this.#turns
    for (const part of this.#ahead()) {
      if (known > 0) known -= 1
      else this.#append(part)
      if (this.#pending.length >= wanted || part.kind === 'stream_end') return
    }
  }
}

/** The chunks that share a record. */
function splitChunk(
  bytes: Uint8Array,
  parts: readonly number[],
  recorded: Recorded,
  stream: { readonly stream?: Label },
  together: boolean,
): Delivery[] {
  return slicesOf(bytes, parts).map((slice, at) => ({
    outcome: { type: 'chunk', bytes: slice, ...stream },
    recorded: at === 0 ? recorded : { ...recorded, joins: true },
    together: at > 0 || together,
  }))
}
