/**
 * The tape of a replay is a second recording: written by the same code as the first, from what was delivered.
 * This adds what a replay cannot observe. The times of each record are those of its counterpart on the
 * recorded tape. Records that nothing in a replay produces (gaps, notes, states of files, kinds of other
 * programs) are copied when the second recording reaches their position.
 */

import { fromDisk } from '../../scrub/scrubbed.ts'
import type { RecordKind, TapeClock, TapeRecord, TapeRecorder } from '../../tape/index.ts'
import { casReferences, kindName } from '../../tape/index.ts'
import type { Phase } from '../../tape/record.ts'
import type { PayloadStore } from '../../tape/recorder.ts'
import type { RunPhase } from '../../tape/run-phase.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { isDelivery } from '../records/delivered-kinds.ts'
import type { RecordPlace } from '../session/delivery.ts'
import type { RecordedLines, RecordStream } from './record-stream.ts'

export type SecondRecording = {
  /** For the session: stamps each record with the times of its counterpart. */
  readonly recorder: TapeRecorder
  /** The next record is the counterpart of this one. */
  setPlace(place: RecordPlace): void
  /**
   * The next recorded record of this kind that has no counterpart yet, if it comes before the next delivery.
   */
  next(wanted: (kind: RecordKind) => boolean): TapeRecord | null
  /** Calls back for a record that only its family can write: the end of a stretch of a file. */
  onReached(reached: (record: TapeRecord) => void): void
  /** Copies what was recorded after the program had ended. */
  finish(): void
}

/** Compares the second recording while it is made. */
export type SecondRecordingWatcher = PayloadStore & {
  /** Called once, before the first record. */
  begin(recorded: RecordedLines): void
  /** Called for each record, with its line if it was written to a tape. */
  record(record: TapeRecord, line: string | null): void
}

/** A clock with the time of the record that was last served. */
export type ServedClock = TapeClock & {
  set(place: RecordPlace): void
  /** The phase of the record that is written now. */
  phase(): Phase
  /** Runs `write` in the phase of a recorded record. */
  inPhase(phase: Phase, write: () => void): void
}

/** `run` is the phase of this run; null for a tape on which every record of the run has the first one. */
export function createServedClock(run: RunPhase | null): ServedClock {
  let copied: Phase | null = null
  let wall = 0
  let monotonic = 0
  return {
    now: () => wall,
    monotonicMs: () => monotonic,
    phase: () => copied ?? run?.current() ?? 'user_script',
    inPhase(phase, write) {
      copied = phase
      write()
      copied = null
    },
    set(place) {
      wall = place.virtualTimeMs
      monotonic = place.monotonicMs
    },
  }
}

export function secondRecording(
  stream: RecordStream,
  inner: TapeRecorder,
  clock: ServedClock,
  payloads: TapePayloads,
  onReached: (place: RecordPlace) => void = () => undefined,
  /** Whether a record that nothing in a replay produces still belongs to this run. */
  isOfRun: (kind: RecordKind) => boolean = () => true,
): SecondRecording {
  let at = 0
  let pinned: RecordPlace | null = null
  let reached: (record: TapeRecord) => void = () => undefined

  const step = (): void => {
    at += 1
    stream.release('written', at)
  }

  const copy = (record: TapeRecord): void => {
    clock.set(record)
    for (const { contentHash, lenBytes } of casReferences(record.kind)) {
      inner.payloadFromBytes(fromDisk<Uint8Array>(payloads({ form: 'cas', contentHash, lenBytes })))
    }
    clock.inPhase(record.phase, () => void inner.record(fromDisk<RecordKind>(record.kind), record.scrubbed))
  }

  /** Writes a record that nothing delivers. Returns false for any other. */
  const write = (record: TapeRecord): boolean => {
    if (isCopied(record.kind)) {
      if (isOfRun(record.kind)) copy(record)
    } else if (isTail(record.kind)) {
      const outer = pinned
      pinned = record
      reached(record)
      pinned = outer
    } else return false
    return true
  }

  /** Advances to the record after this one. */
  const goPast = (seq: number): void => {
    for (let record = stream.at(at); record !== null && record.seq <= seq; record = stream.at(at)) {
      step()
      if (record.seq < seq) write(record)
    }
  }

  const next = (wanted: (kind: RecordKind) => boolean): TapeRecord | null => {
    for (let ahead = at; ; ahead += 1) {
      const record = stream.at(ahead)
      if (record === null) return null
      if (wanted(record.kind)) return record
      if (isDelivery(record)) return null
    }
  }

  const place = (kind: RecordKind): RecordPlace | null => {
    const known = pinned ?? (SEARCHED.has(kind.kind) ? next((other) => isCounterpart(kind, other)) : null)
    pinned = null
    if (known === null) return null
    goPast(known.seq)
    clock.set(known)
    return known
  }

  return {
    recorder: {
      nextSeq: () => inner.nextSeq(),
      record(kind, scrubbed) {
        const known = place(kind)
        // In a replay the program has placeholders: the number of secrets is a fact of the recording.
        const written = inner.record(kind, known === null ? scrubbed : (known.scrubbed ?? 0))
        if (known !== null) onReached(known)
        return written
      },
      recordGrowing(kind, first) {
        const known = place(kind)
        const written = inner.recordGrowing(kind, first)
        if (known !== null) onReached(known)
        return written
      },
      join(of, chunk) {
        const joined = inner.join(of, chunk)
        // The record that was set as the counterpart is the one that grows.
        if (joined !== null) pinned = null
        return joined
      },
      settle: () => inner.settle(),
      payloadFromBytes: (bytes, text) => inner.payloadFromBytes(bytes, text),
      payloadStream: () => inner.payloadStream(),
      chunkFromBytes: (bytes) => inner.chunkFromBytes(bytes),
      snapshot: (header) => inner.snapshot(header),
    },
    setPlace(wanted) {
      pinned = wanted
    },
    next,
    onReached(callback) {
      reached = callback
    },
    finish() {
      for (let record = stream.at(at); record !== null; record = stream.at(at)) {
        step()
        if (!write(record)) return
      }
    },
  }
}

/** Kinds that the program or an annotator causes: their counterpart is the next of the same kind. */
const SEARCHED: ReadonlySet<string> = new Set([
  'effect_start',
  'env_read',
  'stream_chunk',
  'stream_end',
  'ws_message',
  'http2_frame',
  'server_answer',
  'llm_call',
  'mcp_json_rpc',
  'mcp_message',
  'process_spawn',
  'terminal_session',
  'file_write',
  'divergence',
])

function isCounterpart(kind: RecordKind, other: RecordKind): boolean {
  if (kindName(kind) !== kindName(other)) return false
  if (kind.kind === 'stream_chunk' && other.kind === 'stream_chunk')
    return other.direction === 'out' && kind.stream === other.stream
  if (kind.kind === 'stream_end' && other.kind === 'stream_end')
    return other.closedBy !== undefined && kind.stream === other.stream
  if (kind.kind === 'ws_message' && other.kind === 'ws_message') return other.direction === 'out'
  if (kind.kind === 'http2_frame' && other.kind === 'http2_frame')
    return (
      (other.direction === 'out' || other.frame === 'held') &&
      kind.frame === other.frame &&
      kind.stream === other.stream
    )
  if (kind.kind === 'env_read' && other.kind === 'env_read')
    return kind.name === other.name && kind.api === other.api
  // Only a refusal that is part of the run has a counterpart.
  if (kind.kind === 'divergence' && other.kind === 'divergence')
    return (
      (kind.of !== undefined || kind.refused !== undefined) &&
      kind.of === other.of &&
      kind.refused === other.refused
    )
  if (kind.kind === 'file_write' && other.kind === 'file_write') return other.unfinished !== undefined
  if (kind.kind === 'process_spawn' && other.kind === 'process_spawn')
    return other.key === undefined && other.of === undefined
  return true
}

/** Nothing in a replay produces it. */
function isCopied(kind: RecordKind): boolean {
  switch (kind.kind) {
    case 'gap':
    case 'note':
    case 'file_state':
    case 'model_job':
    case 'decision_evaluation':
    case 'stdin_read':
    case 'unknown':
      return true
    case 'llm_call':
    case 'mcp_json_rpc':
    case 'mcp_message':
      return kind.wire === undefined
    case 'clock_sleep':
      return kind.of === undefined
    case 'file_read':
    case 'file_delete':
      return kind.of === undefined && kind.key === undefined
    case 'file_write':
      return kind.of === undefined && kind.key === undefined && kind.unfinished === undefined
    default:
      return false
  }
}

function isTail(kind: RecordKind): boolean {
  return kind.kind === 'fs_call' && kind.call === 'tail' && kind.of === undefined && kind.key === undefined
}
