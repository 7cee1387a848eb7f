/**
 * The bytes that the program sends over one connection: scrubbed, written as records, and in a replay
 * compared with the recording as concatenated bytes. A replay cuts them where the recording cut them, so how
 * a program divides its writes does not count.
 *
 * Decision 0595.
 */
import { type Label, label } from '../../base/index.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import { type Divergence, divergenceError } from '../../fidelity/divergence.ts'
import { otherInput } from '../../fidelity/sentences.ts'
import type { ScrubbedBytes } from '../../scrub/index.ts'
import { concatScrubbed, maskOf, noScrubbedBytes, sliceScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import type { StreamScrubber } from '../../scrub/scrubber.ts'
import { passClear, passScrubbed } from '../../scrub/stream.ts'
import { hasFeature } from '../../tape/features.ts'
import type { Chunk, Kind, TapeRecord } from '../../tape/index.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import { hasPlainWords, uncounted } from './counted-secrets.ts'
import type { TapeTools, Tools } from './family.ts'
import { type Difference, SentBytes } from './sent-bytes.ts'

const BY_PROGRAM = label('program')
const SENT: Label = label('sent')

/** What the recording sent over the same connection. */
type Recorded = { readonly effect: number; readonly tape: TapeTools; readonly bytes: SentBytes }

export class SentStream {
  readonly #id: number
  readonly #key: string
  readonly #tools: Tools
  #stream: StreamScrubber
  readonly #recorded: Recorded | null
  readonly #knowsBer: boolean
  #n = 0
  #seq = 0
  #ended = false
  #isReleased = false
  /** Of a replay: what the program has sent and no record has yet. */
  #unwritten = noScrubbedBytes
  /** The last piece that the program sent as it is on the tape. */
  #known: { readonly data: Chunk; readonly bytes: Uint8Array } | null = null
  /** Writes of the program without a record yet. */
  #expectedWrites = 0

  /** `effect`: the number of the effect on the tape; null if the world answers. */
  constructor(id: number, key: string, effect: number | null, tools: Tools) {
    const { tape, scrubber } = tools
    this.#id = id
    this.#key = key
    this.#tools = tools
    this.#stream = scrubber.stream('sent')
    this.#recorded = effect === null || tape === null ? null : { effect, tape, bytes: new SentBytes() }
    this.#knowsBer = tape === null || hasFeature(tape.header, 'berLengths')
  }

  get held(): number {
    return this.#ended ? 0 : this.#stream.held
  }

  send(bytes: Uint8Array, isLogin = false): Error | null {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    const known = isLogin ? null : this.#knownPiece(bytes)
    if (known !== null) {
      const error = this.#compare(this.#recorded?.bytes.live(known) ?? null)
      this.#write(known, 0, before)
      return error
    }
    const clean = isLogin ? this.#masked(bytes.byteLength) : this.#scrubbed(bytes)
    if (this.#recorded === null) {
      this.#write(clean, this.#stream.held, before)
      return null
    }
    this.#expectedWrites += 1
    const error = this.#add(clean) ?? this.#writeCuts(before)
    if (this.#expectedWrites > 0 && this.#nextCut() === null) {
      this.#expectedWrites = 0
      this.#write(this.#take(this.#unwritten.byteLength), 0, before)
    }
    return error
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    const { recorder, scrubber } = this.#tools
    const before = scrubber.hits
    const last = this.#stream.end()
    this.#add(last)
    if (this.#expectedWrites > 0) this.#writeCuts(before)
    const rest = this.#take(this.#unwritten.byteLength)
    recorder.record(
      {
        kind: 'stream_end',
        of: this.#id,
        error: null,
        ...(rest.byteLength === 0 ? {} : { tail: recorder.chunkFromBytes(rest) }),
        closedBy: BY_PROGRAM,
        stream: SENT,
      },
      scrubber.hits - before,
    )
  }

  /**
   * The program has let go of the connection: bytes that it sent and the scrubber holds are written, or in a replay
   * those that the scrubber of the recording held.
   */
  abandon(): void {
    if (this.held > 0 || this.#isReleased || this.#unwritten.byteLength > 0) this.end()
  }

  /** A record of the tape that holds what was sent. */
  recordedSent({ seq, kind }: TapeRecord): void {
    if (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') return
    if (this.#recorded === null || kind.stream !== SENT) return
    const part = kind.kind === 'stream_chunk' ? kind.data : kind.tail
    if (part === undefined) return
    this.#seq = seq
    const { bytes, tape } = this.#recorded
    const error = this.#compare(
      bytes.recorded(this.#known?.data === part ? this.#known.bytes : tape.payloads(part)),
    )
    if (error !== null) this.#tools.deliver(this.#id, { type: 'error', error: errorFacts(error) })
  }

  /** The recording had sent more by now: what answers it must wait. */
  isBehind(): boolean {
    return this.#recorded?.bytes.isBehind() === true
  }

  leftovers(): readonly Divergence[] {
    // The program has ended with an open connection: what the scrubber holds was sent too.
    if (this.held > 0) {
      this.#isReleased = true
      this.#add(this.#released())
    }
    const difference = this.#recorded?.bytes.leftover() ?? null
    return difference === null ? [] : [this.#divergence(difference)]
  }

  /** The next piece of the recording, if the program sends just that: it needs no search for secrets. */
  #knownPiece(bytes: Uint8Array): ScrubbedBytes | null {
    if (this.#recorded === null || this.#expectedWrites > 0 || this.#unwritten.byteLength > 0) return null
    const next = this.#nextPiece()
    if (next === null || (next.held ?? 0) > 0) return null
    const known = this.#recorded.tape.knownBytes(next.data, bytes)
    if (known === null || !passScrubbed(this.#stream, known)) return null
    this.#known = { data: next.data, bytes: known }
    return known
  }

  #scrubbed(bytes: Uint8Array): ScrubbedBytes {
    const { scrubber } = this.#tools
    // Most pieces have no secret, and one search of their bytes is enough.
    const clear = hasPlainWords(bytes, scrubber) ? passClear(this.#stream, bytes) : null
    if (clear !== null) return clear
    const sent = uncounted(bytes, scrubber, this.#knowsBer)
    return this.#stream.push(sent.bytes, sent.isClear)
  }

  /** A login: only how long it is counts. */
  #masked(length: number): ScrubbedBytes {
    return concatScrubbed([this.#released(), maskOf(length)])
  }

  /** What the scrubber holds back. It begins anew after that. */
  #released(): ScrubbedBytes {
    const held = this.#stream.end()
    this.#stream = this.#tools.scrubber.stream('sent')
    return held
  }

  /** Scrubbed bytes of this run: compared, and written in the pieces of the recording. */
  #add(bytes: ScrubbedBytes): Error | null {
    this.#unwritten = concatScrubbed([this.#unwritten, bytes])
    return this.#compare(this.#recorded?.bytes.live(bytes) ?? null)
  }

  #compare(difference: Difference | null): Error | null {
    return difference === null ? null : divergenceError(this.#tools.diverge(this.#divergence(difference)))
  }

  #divergence(difference: Difference): Divergence {
    return otherInput(this.#seq, 'bytes', this.#key, difference)
  }

  /** Writes what has been sent in the pieces of the recording, as far as it goes. */
  #writeCuts(before: number): Error | null {
    let error: Error | null = null
    for (let cut = this.#nextCut(); cut !== null; cut = this.#nextCut()) {
      const missing = cut.length - this.#unwritten.byteLength
      // Which bytes could begin a secret depends on the secrets that are known, and those of this run are others.
      // The recording did not hold these: they begin none.
      if (missing > 0 && missing <= this.#stream.held) error ??= this.#add(this.#released())
      // An empty piece represents a write whose bytes are held back: one write, one such piece.
      if (cut.length > this.#unwritten.byteLength || (cut.length === 0 && this.#expectedWrites === 0))
        return error
      this.#expectedWrites = Math.max(0, this.#expectedWrites - 1)
      this.#write(this.#take(cut.length), cut.held, before)
    }
    return error
  }

  #nextCut(): { readonly length: number; readonly held: number } | null {
    const next = this.#nextPiece()
    return next === null ? null : { length: chunkBytes(next.data), held: next.held ?? 0 }
  }

  /** The next record of the tape that holds what was sent, and has no counterpart yet. */
  #nextPiece(): Kind<'stream_chunk'> | null {
    if (this.#recorded === null) return null
    const { effect, tape } = this.#recorded
    const next = tape.next(
      (kind) => kind.kind === 'stream_chunk' && kind.of === effect && kind.stream === SENT,
    )
    return next?.kind.kind === 'stream_chunk' ? next.kind : null
  }

  #write(bytes: ScrubbedBytes, held: number, before: number): void {
    const { recorder, scrubber } = this.#tools
    const data = recorder.chunkFromBytes(bytes)
    const n = this.#n
    this.#n += 1
    // Written out: this runs for every chunk, and spreading an object costs more than writing the record.
    recorder.record(
      held === 0
        ? { kind: 'stream_chunk', of: this.#id, n, direction: 'out', data, stream: SENT }
        : { kind: 'stream_chunk', of: this.#id, n, direction: 'out', data, held, stream: SENT },
      scrubber.hits - before,
    )
  }

  #take(length: number): ScrubbedBytes {
    const part = sliceScrubbedBytes(this.#unwritten, 0, length)
    this.#unwritten = sliceScrubbedBytes(this.#unwritten, length)
    return part
  }
}
