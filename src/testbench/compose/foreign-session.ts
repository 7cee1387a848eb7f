/**
 * A session that replays the tape of another system: its source serves outcomes from that system's records.
 */
import { portablePaths } from '../../boundaries/files/portable-paths.ts'
import type { TapeRecord } from '../../tape/index.ts'
import { createDiscardingRecorder, createWatchedRecorder } from '../../tape/recorder.ts'
import { createRunPhase } from '../../tape/run-phase.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { callFamily } from '../calls/call-family.ts'
import { filesToReplay } from '../files/places.ts'
import { compareUnfinished } from '../files/unfinished-writes.ts'
import { createSession } from '../session/create-session.ts'
import { foreignFiles } from '../sources/foreign/files.ts'
import { foreignRecorder } from '../sources/foreign/foreign-recorder.ts'
import { ForeignRecords } from '../sources/foreign/foreign-records.ts'
import { type ForeignSource, foreignSource } from '../sources/foreign/foreign-source.ts'
import { leftOver } from '../sources/foreign/left-over.ts'
import { createServedClock } from '../sources/second-recording.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { effectFamilies } from './families.ts'
import type { ReplayOptions, ReplaySession } from './replay-contract.ts'

export function createForeignSession(options: ReplayOptions): ReplaySession {
  const { path, index, scrubber, match = {}, speed = 0, emit, watcher } = options
  const payloads = tapePayloads(path)
  const phase = createRunPhase()
  const clock = createServedClock(phase)
  const inner =
    watcher === undefined
      ? createDiscardingRecorder(clock)
      : createWatchedRecorder(clock, watcher.record, emit ?? watcher, clock.phase)
  const second = foreignRecorder({ inner, clock, scrubber, payloads })
  const records = new ForeignRecords(recordsOf(index), second.copies)
  const { portable } = portablePaths(filesToReplay(index.header, index.places, true).places)
  const files = foreignFiles({ path, payloads, scrubber, portable })
  const startedAtMs = index.header.startedAtUnixMs ?? records.first()?.virtualTimeMs ?? 0
  let source: ForeignSource | null = null
  const opened = createSession({
    recorder: second.recorder,
    scrubber,
    families: effectFamilies(match),
    calls: callFamily,
    source(kernel) {
      source = foreignSource(kernel, {
        path,
        records,
        second,
        payloads,
        files,
        speed,
        startedAtMs,
        mcpServer: index.mcpServer,
      })
      return source
    },
    ...(emit === undefined ? {} : { out: emit.path }),
  })
  const replayed: ForeignSource = source ?? notOpened()
  return {
    session: opened.session,
    finalize: phase.finalize,
    idleMs: replayed.idleMs,
    isAtEnd: replayed.isAtEnd,
    // The source itself reports a wait that the tape never ends.
    failStuckWaits: () => ({ [Symbol.dispose]: () => undefined }),
    travelled: null,
    leaving: null,
    firstDivergence: () => opened.divergences[0] ?? null,
    finish() {
      const { divergences, doubts, missingClockReads } = leftOver(records)
      const unfinished = compareUnfinished(opened.session, [], payloads, opened.tools)
      opened.close()
      second.finish()
      for (const divergence of [...unfinished.divergences, ...divergences]) opened.tools.diverge(divergence)
      opened.end()
      return {
        extraClockReads: replayed.extraClockReads,
        missingClockReads,
        missingRandomReads: 0,
        extraFactReads: 0,
        skipped: [],
        next: null,
        answersLeft: [],
        foreignLeft: [],
        doubts: [...unfinished.doubts, ...doubts],
      }
    },
  }
}

function* recordsOf(index: TapeIndex): Generator<TapeRecord, void, undefined> {
  for (const batch of index.takeRecords()) for (const { record } of batch) yield record
}

function notOpened(): never {
  throw new Error('the session has no source')
}
