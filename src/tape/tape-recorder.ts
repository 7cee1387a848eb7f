/** What a boundary needs in order to record: the contract, apart from its two makings in recorder.ts. */
import type { Scrubbed, ScrubbedBytes } from '../scrub/index.ts'
import type { EventTape } from './event-tape.ts'
import type { Chunk, Payload } from './fields.ts'
import type { ChunkText } from './growing-chunk.ts'
import type { TapeHeader } from './header.ts'
import type { Kind, RecordKind } from './kinds.ts'
import type { PayloadStream } from './payload-stream.ts'
import type { TapeRecord } from './record.ts'

export type TapeClock = {
  /** UNIX milliseconds of the run: virtual if its clock is. */
  now(): number
  /** Milliseconds that only go forward. */
  monotonicMs(): number
}

export type TapeRecorder = {
  /** The number that the next record gets. */
  nextSeq(): number
  /** `scrubbed` counts the secrets replaced in this record. */
  record(kind: Scrubbed<RecordKind>, scrubbed?: number): Scrubbed<TapeRecord>
  /** Records a chunk that further chunks may join. It contains no replaced secret. */
  recordGrowing(kind: Scrubbed<Kind<'stream_chunk'>>, first: ChunkText): Scrubbed<TapeRecord>
  /**
   * Adds a chunk to the last record. Null if the last record is no growing chunk of this effect, or is full.
   */
  join(of: number, chunk: ChunkText): Scrubbed<TapeRecord> | null
  /** Nothing more joins the last record. */
  settle(): void
  /** `likely` is the text that the bytes probably are, which saves decoding them. */
  payloadFromBytes(bytes: ScrubbedBytes, likely?: string): Scrubbed<Payload>
  /** A payload of any size, piece by piece: memory does not grow with it. */
  payloadStream(): PayloadStream
  chunkFromBytes(bytes: ScrubbedBytes): Scrubbed<Chunk>
  /** What has been recorded so far. A recorder with a writer reads it back from the tape. */
  snapshot(header: Scrubbed<TapeHeader>): EventTape
}
