/**
 * Stamps what happened with a sequence number, a phase and the time, and passes it on: to a list in memory, or to a writer.
 *
 * Sequence numbers are given in the order of `record`, without gaps, whatever async context calls it.
 */
import type { ContentHash } from '../base/index.ts'
import { monotonicMs, now } from '../real/clock.ts'
import type { Scrubbed, ScrubbedBytes } from '../scrub/index.ts'
import { concatScrubbed } from '../scrub/scrubbed-parts.ts'
import { currentPhase } from './active-recorder.ts'
import { EventTape } from './event-tape.ts'
import { chunkOf, type PutBytes, payloadOf } from './payload.ts'
import { createPayloadStream, type Spill } from './payload-stream.ts'
import type { TapeRecord } from './record.ts'
import type { TapeClock, TapeRecorder } from './tape-recorder.ts'
import type { TapeWriter } from './writer.ts'

export const realClock: TapeClock = { now, monotonicMs }

/** Keeps the records in memory. */
export function createTapeRecorder(clock: TapeClock = realClock): TapeRecorder {
  const records: Scrubbed<TapeRecord>[] = []
  const payloads = new Map<ContentHash, ScrubbedBytes>()
  const put: PutBytes = (hash, bytes) => void payloads.set(hash, bytes)
  return {
    ...stamping(clock, (record) => void records.push(record)),
    payloadFromBytes: (bytes, likely) => payloadOf(bytes, put, likely),
    payloadStream: () =>
      createPayloadStream(
        (bytes) => payloadOf(bytes, put),
        () => spillTo(put),
      ),
    chunkFromBytes: (bytes) => chunkOf(bytes, put),
    snapshot: (header) => EventTape.create(header, records, payloads),
  }
}

/** Writes the records to a tape as they come; memory does not grow with it. */
export function createStreamingRecorder(writer: TapeWriter, clock: TapeClock = realClock): TapeRecorder {
  return {
    ...stamping(clock, (record) => writer.append(record)),
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
  const put: PutBytes = () => undefined
  return {
    ...stamping(clock, () => undefined),
    payloadFromBytes: (bytes, likely) => payloadOf(bytes, put, likely),
    payloadStream: () => createPayloadStream((bytes) => payloadOf(bytes, put), NOWHERE),
    chunkFromBytes: (bytes) => chunkOf(bytes, put),
    snapshot: (header) => EventTape.create(header, [], new Map()),
  }
}

const NOWHERE = (): Spill => ({ write: () => undefined, keep: () => undefined, drop: () => undefined })

/** A tape in memory has nowhere else to put it. */
function spillTo(put: PutBytes): Spill {
  const pieces: ScrubbedBytes[] = []
  return { write: (bytes) => void pieces.push(bytes), keep: (hash) => put(hash, concatScrubbed(pieces)), drop: () => undefined }
}

function stamping(clock: TapeClock, keep: (record: Scrubbed<TapeRecord>) => void): Pick<TapeRecorder, 'record' | 'nextSeq'> {
  const startedAt = clock.monotonicMs()
  let seq = 0
  return {
    nextSeq: () => seq,
    record(kind, scrubbed = 0) {
      const stamp = {
        seq,
        phase: currentPhase(),
        virtualTimeMs: Math.trunc(clock.now()),
        monotonicMs: Math.max(0, Math.trunc(clock.monotonicMs() - startedAt)),
        kind,
      }
      seq += 1
      const record: Scrubbed<TapeRecord> = scrubbed === 0 ? stamp : { ...stamp, scrubbed }
      keep(record)
      return record
    },
  }
}
