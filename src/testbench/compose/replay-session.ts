/** A session that replays: outcomes come from a tape, and what the program is given is recorded a second time. */
import type { Session } from '../../boundaries/session.ts'
import { realCwd } from '../../real/process.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { createStreamingRecorder, readTapeEvents, type TapeRecord, type TapeWriter } from '../../tape/index.ts'
import { createDiscardingRecorder } from '../../tape/recorder.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import { callFamily } from '../calls/call-family.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import { compareUnfinished } from '../files/unfinished-writes.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { movingRoot } from '../keys/spawn-key.ts'
import { createSession } from '../session/create-session.ts'
import type { CallFamily, EffectFamily, TapeTools, Tools } from '../session/family.ts'
import { endDivergences } from '../sources/end-divergences.ts'
import { RecordStream } from '../sources/record-stream.ts'
import { createServedClock, secondRecording } from '../sources/second-recording.ts'
import { TapeCursor } from '../sources/tape-cursor.ts'
import { type TapeSource, type TapeState, tapeSource } from '../sources/tape-source.ts'
import { ForeignSpawns } from '../tape-index/foreign-spawns.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { effectFamilies } from './families.ts'

export type ReplayOptions = {
  readonly path: string
  readonly index: TapeIndex
  readonly scrubber: Scrubber
  readonly match?: MatchRules
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed?: number
  /** Where the second recording goes. */
  readonly emit?: TapeWriter
  /** Replaces parts of the session. Tests use it to corrupt what is delivered. */
  readonly replaceParts?: (parts: ReplayParts) => ReplayParts
}

export type ReplayParts = {
  readonly families: readonly EffectFamily[]
  readonly calls: (tools: Tools) => CallFamily
  readonly source: (tape: TapeSource) => TapeSource
}

type ReplayState = TapeState & {
  /** What the tape cannot prove. */
  readonly doubts: readonly string[]
}

export type ReplaySession = Pick<TapeSource, 'idleMs' | 'isAtEnd' | 'failStuckWaits'> & {
  readonly session: Session
  /** Ends the session: what is left of the tape is recorded as divergences, and nothing after that. `isStrict`: clock reads count. */
  finish(isStrict?: boolean): ReplayState
  /** Where the run left its tape, so far. */
  firstDivergence(): ReplayDivergence | null
}

export function createReplaySession(options: ReplayOptions): ReplaySession {
  const { path, index, scrubber, match = {}, speed = 0, emit, replaceParts } = options
  const ownParts: ReplayParts = { families: effectFamilies(match), calls: callFamily, source: (tape) => tape }
  const parts = replaceParts?.(ownParts) ?? ownParts
  const payloads = tapePayloads(path)
  const clock = createServedClock()
  const stream = new RecordStream(index.takeRecords() ?? selected(path, index))
  const inner = emit === undefined ? createDiscardingRecorder(clock) : createStreamingRecorder(emit, clock)
  const second = secondRecording(stream, inner, clock, payloads)
  const cursor = new TapeCursor(stream, (record) => source?.passed(record))
  const moved = movingRoot(realCwd(), index.header.roots?.[0] ?? realCwd())
  const tape: TapeTools = {
    path,
    header: index.header,
    index,
    payloads,
    moved,
    knownKey: (boundary, key) => (index.hasKey(boundary, key) ? fromDisk<string>(key) : null),
    keyText: (key) => fromDisk<string>(key),
    foreign: new ForeignSpawns(index.foreignSpawns, scrubber, payloads),
    ahead: () => cursor.lookAhead(),
    unread: () => cursor.unread(),
    next: second.next,
  }
  let source: TapeSource | null = null
  const opened = createSession({
    mode: 'replay',
    recorder: second.recorder,
    scrubber,
    families: parts.families,
    calls(tools) {
      const calls = parts.calls(tools)
      second.onReached((record) => calls.reached(record))
      return calls
    },
    source(kernel) {
      source = parts.source(tapeSource(kernel, { path, index, cursor, second, payloads, speed }))
      return source
    },
    tape,
    ...(emit === undefined ? {} : { out: emit.path }),
  })
  const replayed: TapeSource = source ?? notOpened()
  return {
    session: opened.session,
    idleMs: replayed.idleMs,
    isAtEnd: replayed.isAtEnd,
    failStuckWaits: replayed.failStuckWaits,
    firstDivergence: () => opened.divergences[0] ?? null,
    finish(isStrict = false) {
      // The state first: it looks at what the program sent in its last turn.
      const state = replayed.state()
      const unfinished = compareUnfinished(opened.session, index.unfinished, payloads, opened.tools)
      const divergences = [...opened.leftovers(), ...unfinished.divergences, ...endDivergences(state, isStrict)]
      opened.close()
      second.finish()
      for (const divergence of divergences) opened.tools.diverge(divergence)
      opened.end()
      return { ...state, doubts: unfinished.doubts }
    },
  }
}

function* selected(path: string, index: TapeIndex): Generator<TapeRecord, void, undefined> {
  const isSelected = index.selection()
  for (const event of readTapeEvents(path)) if (event.type === 'record' && isSelected(event.record)) yield event.record
}

function notOpened(): never {
  throw new Error('the session has no source')
}
