/**
 * Stamps what happened with a sequence number, a phase and the time, and passes it on: to a list in memory,
 * or to a writer.
 *
 * Sequence numbers are given in the order of `record`, without gaps, whatever async context calls it.
 */
import type { ContentHash } from '../base/index.ts'
import { monotonicMs, now } from '../real/clock.ts'
import type { Scrubbed, ScrubbedBytes } from '../scrub/index.ts'
import { concatScrubbed } from '../scrub/scrubbed-parts.ts'
import { currentPhase } from './active-recorder.ts'
import { EventTape } from './event-tape.ts'
import { GrowingChunk } from './growing-chunk.ts'
import type { RecordKind } from './kinds.ts'
import { chunkOf, type PutBytes, payloadOf } from './payload.ts'
import { createPayloadStream, type Spill } from './payload-stream.ts'
import type { Phase, TapeRecord } from './record.ts'
import type { TapeClock, TapeRecorder } from './tape-recorder.ts'
import { TapeWriter } from './writer.ts'

export const realClock: TapeClock = { now, monotonicMs }

/** Keeps the records in memory. */
export function createTapeRecorder(clock: TapeClock = realClock): TapeRecorder {
  const records: Scrubbed<TapeRecord>[] = []
  const payloads = new Map<ContentHash, ScrubbedBytes>()
  const put: PutBytes = (hash, bytes) => void payloads.set(hash, bytes)
  const stamped = stamping(clock, (record) => void records.push(record))
  return {
    ...stamped,
    payloadFromBytes: (bytes, likely) => payloadOf(bytes, put, likely),
    payloadStream: () =>
      createPayloadStream(
        (bytes) => payloadOf(bytes, put),
        () => spillTo(put),
      ),
    chunkFromBytes: (bytes) => chunkOf(bytes, put),
    snapshot(header) {
      stamped.settle()
      return EventTape.create(header, records, payloads)
    },
  }
}

/** Writes the records to a tape as they come; memory does not grow with it. */
export function createStreamingRecorder(
  writer: TapeWriter,
  clock: TapeClock = realClock,
  phase: () => Phase = currentPhase,
): TapeRecorder {
  return {
    ...stamping(
      clock,
      (record) => writer.append(record),
      phase,
      (settle) => writer.beforeFlush(settle),
    ),
    payloadFromBytes: (bytes, likely) => writer.payload(bytes, likely),
    payloadStream: () => writer.payloadStream(),
    chunkFromBytes: (bytes) => writer.chunk(bytes),
    snapshot() {
      writer.flush()
      return EventTape.loadSync(writer.path)
    },
  }
}

/** Keeps nothing: for a session without a tape. */
export function createDiscardingRecorder(clock: TapeClock = realClock): TapeRecorder {
  return keepingNothing(clock, () => undefined, NO_PAYLOADS)
}

/** Where the bytes of payloads go that are not in their line. Pieces of one payload come to a spill. */
export type PayloadStore = { put: PutBytes; spill(): Spill }

const NO_PAYLOADS: PayloadStore = {
  put: () => undefined,
  spill: () => ({ write: () => undefined, keep: () => undefined, drop: () => undefined }),
}

type LineWatcher = (record: Scrubbed<TapeRecord>, line: string | null) => void

/**
 * Gives each record to `watch`, with its line if there is a writer. Without one only the bytes of payloads
 * are passed on.
 */
export function createWatchedRecorder(
  clock: TapeClock,
  watch: LineWatcher,
  to: TapeWriter | PayloadStore,
  phase: () => Phase,
): TapeRecorder {
  if (to instanceof TapeWriter)
    return {
      ...createStreamingRecorder(to, clock),
      ...stamping(
        clock,
        (record) => watch(record, to.append(record)),
        phase,
        (settle) => to.beforeFlush(settle),
      ),
    }
  return keepingNothing(clock, (record) => watch(record, null), to, phase)
}

function keepingNothing(
  clock: TapeClock,
  keep: (record: Scrubbed<TapeRecord>) => void,
  { put, spill }: PayloadStore,
  phase: () => Phase = currentPhase,
): TapeRecorder {
  return {
    ...stamping(clock, keep, phase),
    payloadFromBytes: (bytes, likely) => payloadOf(bytes, put, likely),
    payloadStream: () => createPayloadStream((bytes) => payloadOf(bytes, put), spill),
    chunkFromBytes: (bytes) => chunkOf(bytes, put),
    snapshot: (header) => EventTape.create(header, [], new Map()),
  }
}

/** A tape in memory has nowhere else to put it. */
function spillTo(put: PutBytes): Spill {
  const pieces: ScrubbedBytes[] = []
  return {
    write: (bytes) => void pieces.push(bytes),
    keep: (hash) => put(hash, concatScrubbed(pieces)),
    drop: () => undefined,
  }
}

/** `grows` is called when a record is made that is kept later, with the function that keeps it. */
function stamping(
  clock: TapeClock,
  keep: (record: Scrubbed<TapeRecord>) => void,
  phase: () => Phase = currentPhase,
  grows: (settle: () => void) => void = () => undefined,
): Pick<TapeRecorder, 'record' | 'recordGrowing' | 'join' | 'settle' | 'nextSeq'> {
  const startedAt = clock.monotonicMs()
  let seq = 0
  let growing: GrowingChunk | null = null
  const stamp = (kind: Scrubbed<RecordKind>): Scrubbed<TapeRecord> => {
    const record = {
      seq,
      phase: phase(),
      virtualTimeMs: Math.trunc(clock.now()),
      monotonicMs: Math.max(0, Math.trunc(clock.monotonicMs() - startedAt)),
      kind,
    }
    seq += 1
    return record
  }
  const settle = (): void => {
    if (growing === null) return
    const record = growing.whole()
    growing = null
    keep(record)
  }
  return {
    nextSeq: () => seq,
    record(kind, scrubbed = 0) {
      settle()
      const stamped = stamp(kind)
      const record: Scrubbed<TapeRecord> = scrubbed === 0 ? stamped : { ...stamped, scrubbed }
      keep(record)
      return record
    },
    recordGrowing(kind, first) {
      settle()
      const record = stamp(kind)
      growing = new GrowingChunk(record, kind, first)
      grows(settle)
      return record
    },
    join: (of, chunk) => (growing?.join(of, chunk) === true ? growing.record : null),
    settle,
  }
}
