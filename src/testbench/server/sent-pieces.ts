/**
 * Bytes that a server sends and that belong to no answer: those of another protocol, or after an upgrade. A
 * replay writes them in the pieces of the recording: only the bytes count, not how they are cut.
 */
import { label } from '../../base/index.ts'
import type { Scrubbed, ScrubbedBytes, StreamScrubber } from '../../scrub/index.ts'
import { concatScrubbed, noScrubbedBytes, sliceScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import type { Kind } from '../../tape/index.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import type { Tools } from '../session/family.ts'

const OUT = label('out')
const BY_PROGRAM = label('program')

export class SentPieces {
  readonly #id: number
  /** The effect on the tape; null in a recording. */
  readonly #effect: number | null
  readonly #tools: Tools
  #stream: StreamScrubber | null = null
  /** Of a replay: what was sent and has no record yet. */
  #unwritten: ScrubbedBytes = noScrubbedBytes
  /** Of a replay: how many bytes the recording held back after its last piece. This run may know other secrets. */
  #heldBack = 0
  #n = 0

  constructor(id: number, effect: number | null, tools: Tools) {
    this.#id = id
    this.#effect = effect
    this.#tools = tools
  }

  send(bytes: Uint8Array): void {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    this.#stream ??= scrubber.stream('sent')
    const clean = this.#stream.push(bytes)
    if (this.#effect === null) this.#write(clean, this.#stream.held, before)
    else {
      this.#unwritten = concatScrubbed([this.#unwritten, clean])
      this.writeCuts(false)
    }
  }

  end(): void {
    const { scrubber, recorder } = this.#tools
    const before = scrubber.hits
    const rest = this.#stream?.end() ?? noScrubbedBytes
    this.#stream = null
    this.#unwritten = concatScrubbed([this.#unwritten, rest])
    this.writeCuts(false)
    const tail = this.#unwritten
    this.#unwritten = noScrubbedBytes
    recorder.record(
      {
        kind: 'stream_end',
        of: this.#id,
        error: null,
        ...(tail.byteLength === 0 ? {} : { tail: recorder.chunkFromBytes(tail) }),
        closedBy: BY_PROGRAM,
        stream: OUT,
      },
      scrubber.hits - before,
    )
  }

  /** The connection is over. */
  abandon(): void {
    this.writeCuts(true)
    if ((this.#stream?.held ?? 0) > 0 || this.#unwritten.byteLength > 0) this.end()
  }

  /** Writes the pieces that are whole. `isLast`: and what is left. */
  writeCuts(isLast: boolean): void {
    if (this.#effect === null) return
    const before = this.#tools.scrubber.hits
    for (let cut = this.#nextCut(); cut !== null; cut = this.#nextCut()) {
      const missing = cut.length - this.#unwritten.byteLength
      // Which bytes could begin a secret depends on the secrets that are known, and those of this run are others.
      if (missing > 0 && this.#stream !== null && missing <= this.#stream.held) {
        this.#unwritten = concatScrubbed([this.#unwritten, this.#stream.end()])
        this.#stream = null
      }
      if (cut.length > this.#unwritten.byteLength) break
      // An empty piece is a write that was held back whole: it has not come yet.
      const sent = this.#unwritten.byteLength + (this.#stream?.held ?? 0)
      if (cut.length === 0 && sent <= this.#heldBack) break
      const { length, held } = cut
      this.#write(sliceScrubbedBytes(this.#unwritten, 0, length), held, before)
      this.#unwritten = sliceScrubbedBytes(this.#unwritten, length)
      this.#heldBack = held
    }
    if (!isLast || this.#unwritten.byteLength <= this.#heldBack) return
    this.#write(this.#unwritten, 0, before)
    this.#unwritten = noScrubbedBytes
  }

  /** The next recorded piece of what was sent, if it comes before the next delivery. */
  #nextCut(): { readonly length: number; readonly held: number } | null {
    const effect = this.#effect
    const next =
      this.#tools.tape?.next(
        (kind) => kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'out',
      ) ?? null
    if (next === null || next.kind.kind !== 'stream_chunk') return null
    return { length: chunkBytes(next.kind.data), held: next.kind.held ?? 0 }
  }

  #write(bytes: ScrubbedBytes, held: number, before: number): void {
    const { recorder, scrubber } = this.#tools
    const data = recorder.chunkFromBytes(bytes)
    const kind: Scrubbed<Kind<'stream_chunk'>> = {
      kind: 'stream_chunk',
      of: this.#id,
      n: this.#n,
      direction: 'out',
      data,
      ...(held === 0 ? {} : { held }),
      stream: OUT,
    }
    this.#n += 1
    recorder.record(kind, scrubber.hits - before)
  }
}
