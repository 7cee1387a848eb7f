/**
 * A session that replays: outcomes come from a tape, and what the program receives is recorded a second time.
 */
import { realCwd } from '../../real/process.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { hasFeature } from '../../tape/features.ts'
import { createDiscardingRecorder, createWatchedRecorder } from '../../tape/recorder.ts'
import { createRunPhase } from '../../tape/run-phase.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { callFamily } from '../calls/call-family.ts'
import { compareUnfinished, recordUnfinished } from '../files/unfinished-writes.ts'
import { movingRoot } from '../keys/spawn-key.ts'
import { knownBytes } from '../records/known-bytes.ts'
import { createSession } from '../session/create-session.ts'
import type { RecordPlace } from '../session/delivery.ts'
import type { TapeTools } from '../session/family.ts'
import { endDivergences } from '../sources/end-divergences.ts'
import { inspected } from '../sources/inspected.ts'
import { RecordStream } from '../sources/record-stream.ts'
import { createServedClock, secondRecording } from '../sources/second-recording.ts'
import { TapeCursor } from '../sources/tape-cursor.ts'
import { tapeSource } from '../sources/tape-source.ts'
import type { TapeSource } from '../sources/tape-source-contract.ts'
import { ForeignSpawns } from '../tape-index/foreign-spawns.ts'
import { effectFamilies } from './families.ts'
import { createForeignSession } from './foreign-session.ts'
import type { ReplayOptions, ReplayParts, ReplaySession } from './replay-contract.ts'
import { createTravelSession } from './travel-session.ts'

export function createReplaySession(options: ReplayOptions): ReplaySession {
  return options.index.isForeign ? createForeignSession(options) : createOwnSession(options)
}

function createOwnSession(options: ReplayOptions): ReplaySession {
  const { path, index, scrubber, match = {}, speed = 0, emit, watcher, replaceParts, watch } = options
  const ownParts: ReplayParts = {
    families: effectFamilies(match),
    calls: callFamily,
    source: (tape) => (watch === undefined ? tape : inspected(tape, watch)),
  }
  const parts = replaceParts?.(ownParts) ?? ownParts
  const payloads = tapePayloads(path)
  const phase = createRunPhase()
  const served = createServedClock(hasFeature(index.header, 'finalizePhase') ? phase : null)
  const travel =
    options.travel === undefined
      ? null
      : createTravelSession(options.travel, {
          path,
          index,
          served,
          payloads,
          onLive: options.onLive ?? nothing,
        })
  const clock = travel === null ? served : { ...served, ...travel.clock }
  const stream = new RecordStream(index.takeRecords())
  watcher?.begin(stream.lines())
  const inner =
    watcher === undefined
      ? createDiscardingRecorder(clock)
      : createWatchedRecorder(clock, watcher.record, emit ?? watcher, clock.phase)
  const reached = (place: RecordPlace): void => {
    watch?.reached(place)
    travel?.reached(place)
    options.onRecord?.(place)
  }
  const isWatched = watch !== undefined || travel !== null || options.onRecord !== undefined
  const second = secondRecording(
    stream,
    inner,
    served,
    payloads,
    isWatched ? reached : undefined,
    travel?.isOfRun,
  )
  const cursor = new TapeCursor(stream)
  const moved = movingRoot(realCwd(), index.places.root ?? realCwd())
  const hasLeft = (): boolean => travel?.state.stage === 'live'
  const tape: TapeTools = {
    path,
    header: index.header,
    index,
    payloads,
    moved,
    knownKey: (boundary, key) => (index.hasKey(boundary, key) ? fromDisk<string>(key) : null),
    knownBytes,
    keyText: (key) => fromDisk<string>(key),
    foreign: new ForeignSpawns(index.foreignSpawns, scrubber, payloads),
    ahead: () => cursor.lookAhead(),
    unread: () => cursor.unread(),
    next: (wanted) => (hasLeft() ? null : second.next(wanted)),
    hasLeft,
  }
  let source: TapeSource | null = null
  const opened = createSession({
    recorder: travel === null ? second.recorder : travel.recorder(second.recorder, inner),
    scrubber,
    families: parts.families,
    calls(tools) {
      const calls = parts.calls(tools)
      second.onReached((record) => calls.reached(record))
      return calls
    },
    source(kernel) {
      const moving = travel === null ? {} : { travel: travel.state }
      const fromTape = tapeSource(kernel, { path, index, cursor, second, payloads, speed, ...moving })
      cursor.onPassed(fromTape.passed)
      const nextSeq = (): number | null => cursor.peekDelivery()?.seq ?? null
      source = parts.source(travel === null ? fromTape : travel.source(kernel, fromTape, nextSeq))
      return source
    },
    tape,
    ...(watch === undefined ? {} : { watch }),
    ...(travel === null ? {} : { travel: travel.hooks, mayServe: true }),
    ...(options.endRun === undefined ? {} : { endRun: options.endRun }),
    ...(emit === undefined ? {} : { out: emit.path }),
  })
  const replayed: TapeSource = source ?? notOpened()
  travel?.use(opened.session)
  return {
    session: opened.session,
    finalize: phase.finalize,
    idleMs: replayed.idleMs,
    isAtEnd: replayed.isAtEnd,
    failStuckWaits: replayed.failStuckWaits,
    travelled: travel === null ? null : () => travel.events(opened.crossings),
    leaving:
      travel === null
        ? null
        : {
            recorder: opened.tools.recorder,
            isOnTape: () => travel.state.stage === 'tape',
            refused: travel.hooks.refused,
          },
    firstDivergence: () => opened.divergences[0] ?? null,
    finish(isStrict = false) {
      // The state first: it includes what the program sent in its last turn.
      const state = replayed.state()
      if (travel !== null && travel.state.stage !== 'tape') {
        // The rest of the tape belongs to another run.
        recordUnfinished(opened.session, opened.tools.recorder, scrubber)
        opened.close()
        second.finish()
        opened.end()
        return { ...state, doubts: [] }
      }
      const unfinished = compareUnfinished(opened.session, index.unfinished, payloads, opened.tools)
      const divergences = [
        ...opened.leftovers(),
        ...unfinished.divergences,
        ...endDivergences(path, state, isStrict),
      ]
      opened.close()
      second.finish()
      for (const divergence of divergences) opened.tools.diverge(divergence)
      opened.end()
      return { ...state, doubts: unfinished.doubts }
    },
  }
}

function nothing(): void {
  // No caller wants it.
}

function notOpened(): never {
  throw new Error('the session has no source')
}
