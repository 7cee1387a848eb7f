/**
 * What an opened cassette gives: plain, complete lists, in memory. Lists are copies, so a caller that sorts
 * one changes nothing here; bytes are views, as recordings can be large. Safe to use from any number of
 * replays at once.
 */

import type { RepriseSection } from '../codec/digests.ts'
import type {
  CassetteEvent,
  CassetteScrubReport,
  DiscoveryRecord,
  FinalRecord,
  FrameRecord,
  InputRecord,
  Manifest,
  OutputRecord,
  QuotaRecord,
  ServiceEventRecord,
} from '../codec/records.ts'
import { isFresh } from './freshness.ts'
import { isInside, refuse } from './open-checks.ts'
import { type ReplayOptions, type ReplaySink, replayEvents } from './replay.ts'

export type CassetteContents = {
  readonly folder: string
  readonly manifest: Manifest
  readonly section: RepriseSection | null
  readonly raw: Uint8Array
  readonly inputs: readonly InputRecord[]
  readonly outputs: readonly OutputRecord[]
  readonly frames: readonly FrameRecord[]
  readonly serviceEvents: readonly ServiceEventRecord[]
  readonly final: FinalRecord
  readonly scrubReport: CassetteScrubReport
  readonly quota: QuotaRecord | null
  readonly discovery: DiscoveryRecord | null
}

/**
 * Evidence that knows its own age: fresh while `now` is inside its window. Without a time or a window it is
 * never fresh.
 */
export type Dated<T> = T & { isFresh(now: Date | number): boolean }

export type CassetteReader = {
  /** Where it was found: the requested folder, or its `.previous`. */
  readonly folder: string
  /** True where `repair` made this cassette out of a recording that never closed. */
  readonly incomplete: boolean
  manifest(): Manifest
  inputs(): readonly InputRecord[]
  outputChunks(): readonly OutputRecord[]
  rawOutput(): Uint8Array
  outputBytes(record: Pick<OutputRecord, 'seq' | 'offset' | 'length'>): Uint8Array
  frames(): readonly FrameRecord[]
  serviceEvents(): readonly ServiceEventRecord[]
  final(): FinalRecord
  quota(): Dated<QuotaRecord> | null
  discovery(): Dated<DiscoveryRecord> | null
  scrubReport(): CassetteScrubReport
  events(): readonly CassetteEvent[]
  replay(options: ReplayOptions, sink: ReplaySink): Promise<void>
}

export function createReader(contents: CassetteContents, events: readonly CassetteEvent[]): CassetteReader {
  return {
    folder: contents.folder,
    incomplete: contents.section?.incomplete ?? false,
    manifest: () => contents.manifest,
    inputs: () => [...contents.inputs],
    outputChunks: () => [...contents.outputs],
    rawOutput: () => contents.raw,
    outputBytes(record) {
      if (!isInside(record, contents.raw))
        throw refuse('cassette-chunk', `output chunk out of range seq=${record.seq}`, { seq: record.seq })
      return contents.raw.subarray(record.offset, record.offset + record.length)
    },
    frames: () => [...contents.frames],
    serviceEvents: () => [...contents.serviceEvents],
    final: () => contents.final,
    quota: () => dated(contents.quota),
    discovery: () => dated(contents.discovery),
    scrubReport: () => contents.scrubReport,
    events: () => [...events],
    replay: (options, sink) => replayEvents(events, contents.manifest.timing.replayDefault, options, sink),
  }
}

function dated<T extends { readonly capturedAt: string; readonly freshnessWindow: string }>(
  record: T | null,
): Dated<T> | null {
  return record === null ? null : { ...record, isFresh: (now) => isFresh(record, now) }
}
