/**
 * Recording and replaying part of a process: what `body` does, and what it starts, by async context. Concurrent calls have a tape each; everything
 * outside passes through untouched. When the last one ends, every patched property is exactly as it was.
 */
import { outside, runInSession } from '../../boundaries/context.ts'
import { useFilesWorld } from '../../boundaries/files/world.ts'
import { retireConnections } from '../../boundaries/network/connection.ts'
import { separatePool } from '../../boundaries/network/pools.ts'
import { installPatches } from '../../boundaries/patches.ts'
import type { RepriseError } from '../../errors/index.ts'
import { realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type ScrubOptions } from '../../scrub/index.ts'
import { createStreamingRecorder, TapeWriter } from '../../tape/index.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import { createRecordSession } from '../compose/record-session.ts'
import { divergenceError } from '../difference/divergence.ts'
import { createFilesWorld, type FilesSource } from '../files/files-world.ts'
import { filesToRecord, headerPlaces, rootsOf } from '../files/places.ts'
import { recordUnfinished } from '../files/unfinished-writes.ts'
import { boundaryPatches, capturedBoundaries } from '../install/process-boundaries.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { completenessOf } from '../records/completeness.ts'
import { olderTape } from '../sources/answers-source.ts'
import { createPatience, LOOK_EVERY_MS, PATIENCE_MS } from '../sources/patience.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { refuseUnlessWhole } from '../verdict/whole-tape.ts'
import { openReplay } from './open-replay.ts'

export type RecordOptionsInProcess = {
  /** Replaces an existing tape. */
  readonly force?: boolean
  /** An older tape: a request whose key is on it is answered from it, any other goes out. */
  readonly answersFrom?: string
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
  /** `overlay`: what is written stays in a layer over the files, and the disk as it is. */
  readonly fs?: FilesSource
}

export type ReplayOptionsInProcess = {
  readonly mode?: ReplayMode
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
}

/** Runs `body` and puts everything it takes in on the tape at `path`. Gives what `body` gives; a tape that is not whole is an error. */
export async function record<T>(path: string, body: () => T | Promise<T>, options: RecordOptionsInProcess = {}): Promise<T> {
  const scrubber = createScrubber({ env: { ...realEnv }, ...options.scrub })
  const header = createScrubbedHeader({ boundaries: recordedBoundaries(), ...headerPlaces(filesToRecord()) }, scrubber)
  using writer = TapeWriter.open(path, header, { force: options.force === true })
  const recorder = createStreamingRecorder(writer)
  const recording = createRecordSession({
    recorder,
    scrubber,
    ...(options.answersFrom === undefined ? {} : { older: olderTape(options.answersFrom, scrubber) }),
    tape: path,
    ...(options.match === undefined ? {} : { match: options.match }),
  })
  separatePool(recording.session)
  const world = createFilesWorld({ source: options.fs ?? 'real', roots: rootsOf(filesToRecord()), tape: path, recorder, scrubber })
  useFilesWorld(recording.session, world)
  using _patches = installPatches(boundaryPatches())
  try {
    const result = await runInSession(recording.session, async () => body())
    recordUnfinished(recording.session, recorder, scrubber)
    recording.end()
    world.end()
    writer.close({ boundaries: completenessOf(capturedBoundaries, recording.crossings) })
    return result
  } finally {
    recording.end()
    retireConnections(recording.session)
  }
}

export type ReplayResult<T> = { readonly value: T; readonly report: ReplayReport }

/** Runs `body` from the tape alone. Gives its value and the report; a replay that is not faithful is an error, even if `body` swallowed it. */
export async function replay<T>(path: string, body: () => T | Promise<T>, options: ReplayOptionsInProcess = {}): Promise<ReplayResult<T>> {
  await refuseUnlessWhole(path)
  using replayed = openReplay({ path, match: options.match, scrub: options.scrub })
  const { session, idleMs } = replayed
  separatePool(session)
  using _patches = installPatches(boundaryPatches())
  const outcome = await settled(
    runInSession(session, async () => body()),
    idleMs,
  )
  retireConnections(session)
  const report = await replayed.judge(options.mode)
  if (outcome.type === 'failed' && isOnlyShort(report)) throw outcome.error
  const failure = failureOf(report)
  if (failure !== null) throw failure
  if (outcome.type === 'waits') throw divergenceError({ ...NOTHING_MORE, actual: outcome.type })
  if (outcome.type === 'failed') throw outcome.error
  return { value: outcome.value, report }
}

const SHORT = new Set(['ended_early', 'random_missing', 'clock_missing'])

/** Nothing but what is left over: a body that threw leaves things over, and what it threw says why. */
function isOnlyShort({ divergences }: ReplayReport): boolean {
  return divergences.every(({ category }) => SHORT.has(category))
}

/** What a replay that is not faithful throws; null if nothing was found against it. */
export function failureOf(report: ReplayReport): RepriseError | null {
  const [first] = report.divergences
  if (first !== undefined) return divergenceError(first)
  const [unused] = report.unused
  return unused === undefined ? null : divergenceError(unusedDivergence(unused, report.unused.length))
}

type Outcome<T> = { readonly type: 'value'; readonly value: T } | { readonly type: 'failed'; readonly error: unknown } | { readonly type: 'waits' }

function settled<T>(promise: Promise<T>, idleMs: () => number): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | null = null
    const done = (outcome: Outcome<T>): void => {
      if (timer !== null) realClearTimeout(timer)
      resolve(outcome)
    }
    const patience = createPatience()
    const watch = (): void => {
      if (idleMs() < LOOK_EVERY_MS) patience.reset()
      if (patience.isOver(PATIENCE_MS)) done({ type: 'waits' })
      else timer = outside(() => realSetTimeout(watch, LOOK_EVERY_MS))
    }
    promise.then(
      (value) => done({ type: 'value', value }),
      (error: unknown) => done({ type: 'failed', error }),
    )
    watch()
  })
}

const NOTHING_MORE = {
  seq: null,
  category: 'ended_early',
  message: 'Replay diverged: the program waits for something that the tape never delivers',
  expected: null,
  path: null,
} as const

function unusedDivergence(unused: ReplayReport['unused'][number], count: number): Parameters<typeof divergenceError>[0] {
  const message = `Replay diverged: ${count} recorded effect(s) were not asked for; the first is #${unused.seq} ${unused.summary}`
  return { seq: unused.seq, category: 'not_asked_for', message, expected: unused.summary, actual: null, path: null }
}

function recordedBoundaries(): { [boundary: string]: { readonly mode: 'record'; readonly source: string } } {
  return Object.fromEntries(Object.keys(capturedBoundaries).map((name) => [name, { mode: 'record', source: 'real' }]))
}
