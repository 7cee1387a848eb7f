/**
 * The library: a session for part of a process, boundary by boundary.
 *
 * A boundary that was not asked for is left alone, or to the session around this one. Sessions nest: the inner one wins, the outer one goes on when the
 * inner one has ended, in whichever order they end. Every patched property is exactly as it was when the last session that needs it has closed.
 */
import { useClockWorld } from '../../boundaries/clock/index.ts'
import { createPausedWorld } from '../../boundaries/clock/paused-world.ts'
import { enterLayer, layerOfProcess, outside, type SessionFor } from '../../boundaries/context.ts'
import { useFilesWorld } from '../../boundaries/files/world.ts'
import { type BoundaryName, boundaryNames } from '../../boundaries/names.ts'
import { retireConnections } from '../../boundaries/network/connection.ts'
import { denyNetwork, openNetwork } from '../../boundaries/network/policy.ts'
import { separatePool } from '../../boundaries/network/pools.ts'
import { installPatches } from '../../boundaries/patches.ts'
import { useRandomSource } from '../../boundaries/random/index.ts'
import { seededSource } from '../../boundaries/random/seeded.ts'
import type { Session } from '../../boundaries/session.ts'
import { fs } from '../../real/fs.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type Scrubbed, type Scrubber } from '../../scrub/index.ts'
import { type BoundaryMode, createStreamingRecorder, type SealFacts, type TapeHeader, type TapeRecorder, TapeWriter } from '../../tape/index.ts'
import { createDiscardingRecorder } from '../../tape/recorder.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import { createRecordSession } from '../compose/record-session.ts'
import { createFilesWorld, type RecordedWorld } from '../files/files-world.ts'
import { filesToRecord, headerPlaces, rootsOf } from '../files/places.ts'
import { recordUnfinished } from '../files/unfinished-writes.ts'
import { patchesOf } from '../install/process-boundaries.ts'
import { onlyBoundaries } from '../tape-index/tape-selection.ts'
import type { ReplayReport } from '../verdict/verdict.ts'
import { refuseUnlessWhole } from '../verdict/whole-tape.ts'
import { denyingSession } from './denying-session.ts'
import { failureOf } from './in-process.ts'
import { openReplay } from './open-replay.ts'
import { planOf, type TestbenchOptions, type TestbenchPlan } from './options.ts'

export type Testbench = {
  /** Starts the session. What stands after `await` is in it. */
  activate(): Promise<TestbenchSession>
}

export type TestbenchSession = AsyncDisposable & {
  /** `live` is a session without a tape. */
  readonly mode: 'record' | 'replay' | 'live'
  readonly tape: string | null
  /** Runs `body` in this session, whichever context calls. */
  run<T>(body: () => T): T
  /**
   * Ends the session: seals the tape, or judges the replay and gives the report. Throws if the tape is not whole, or the replay is not faithful to it.
   * Closing again does nothing and gives the same report.
   */
  close(): Promise<ReplayReport | null>
}

export function testbench(options: TestbenchOptions = {}): Testbench {
  return {
    // Not an async function: the layer must be entered in the caller's own turn.
    activate() {
      let engine: Engine | null = null
      const sessionFor: SessionFor = (boundary) => engine?.sessionFor(boundary)
      const layer = options.scope === 'process' ? layerOfProcess(sessionFor) : enterLayer(sessionFor)
      const begin = async (): Promise<TestbenchSession> => {
        try {
          const plan = planOf(options, fs.existsSync)
          if (plan.mode === 'replay' && options.tape !== undefined) await refuseUnlessWhole(options.tape)
          const patches = installPatches([...plan.captured, ...deniedOf(plan)].flatMap((name) => patchesOf(name)).concat(patchesOf('offthread')))
          try {
            engine = startEngine(options, plan)
          } catch (error) {
            patches[Symbol.dispose]()
            throw error
          }
          return sessionOf(options, plan, engine, layer, patches)
        } catch (error) {
          layer[Symbol.dispose]()
          throw error
        }
      }
      return begin()
    },
  }
}

type Engine = {
  readonly sessionFor: SessionFor
  /** Its connections serve nobody else. */
  retire(): void
  /** Ends what was captured; gives the report of a replay. */
  finish(): Promise<ReplayReport | null>
}

function sessionOf(
  options: TestbenchOptions,
  plan: TestbenchPlan,
  engine: Engine,
  layer: Disposable & Pick<TestbenchSession, 'run'>,
  patches: Disposable,
): TestbenchSession {
  let ended: Promise<ReplayReport | null> | null = null
  const close = async (): Promise<ReplayReport | null> => {
    if (ended !== null) return await ended
    layer[Symbol.dispose]()
    patches[Symbol.dispose]()
    engine.retire()
    ended = engine.finish()
    const report = await ended
    const failure = report === null ? null : failureOf(report)
    if (failure !== null) throw failure
    return report
  }
  return {
    mode: plan.mode,
    tape: options.tape ?? null,
    run: (body) => layer.run(body),
    close,
    async [Symbol.asyncDispose]() {
      await close()
    },
  }
}

function startEngine(options: TestbenchOptions, plan: TestbenchPlan): Engine {
  const denied = new Map<BoundaryName, Session>(deniedOf(plan).map((name) => [name, denyingSession(name)]))
  const capturing = plan.mode === 'replay' ? startReplay(options, plan) : startRecording(options, plan)
  separatePool(capturing.session)
  return {
    sessionFor(boundary) {
      if (boundary === undefined || boundary === 'offthread') return plan.captured.size > 0 ? capturing.session : undefined
      return plan.captured.has(boundary) ? capturing.session : denied.get(boundary)
    },
    retire: () => retireConnections(capturing.session),
    finish: () => capturing.finish(),
  }
}

type Capturing = { readonly session: Session; finish(): Promise<ReplayReport | null> }

function startRecording(options: TestbenchOptions, plan: TestbenchPlan): Capturing {
  const scrubber = createScrubber({ env: { ...realEnv }, ...options.scrub })
  const startAt = plan.startAtMs === null ? {} : { startAtMs: plan.startAtMs }
  const clock = plan.boundaries.clock
  const paused = clock.use === 'capture' && clock.source === 'paused' ? createPausedWorld({ ...startAt, isBusy: () => recording.isBusy() }) : null
  const time = paused === null ? undefined : { now: paused.wallMs, monotonicMs: paused.monotonicMs }
  const { tape } = options
  const openWriter = (path: string): TapeWriter =>
    TapeWriter.open(path, headerOf(plan, paused?.wallMs() ?? null, scrubber), { force: options.force === true })
  const writer = tape === undefined ? null : openWriter(tape)
  const recorder: TapeRecorder = writer === null ? createDiscardingRecorder(time) : createStreamingRecorder(writer, time)
  const recording = createRecordSession({
    recorder,
    scrubber,
    ...(tape === undefined ? {} : { tape }),
    network: plan.allowHosts === null ? openNetwork : denyNetwork(plan.allowHosts),
    onQuiet: () => paused?.wake(),
    ...(options.match === undefined ? {} : { match: options.match }),
  })
  const world = filesWorldOf(plan, tape ?? '', recorder, scrubber)
  if (world !== null) useFilesWorld(recording.session, world)
  if (paused !== null) useClockWorld(recording.session, paused)
  if (plan.seed !== null) useRandomSource(recording.session, seededSource(plan.seed))
  return {
    session: recording.session,
    async finish() {
      recordUnfinished(recording.session, recorder, scrubber)
      recording.end()
      world?.end()
      writer?.close({ boundaries: sealOf(plan) })
      return null
    },
  }
}

function filesWorldOf(plan: TestbenchPlan, tape: string, recorder: TapeRecorder, scrubber: Scrubber): RecordedWorld | null {
  const { filesystem } = plan.boundaries
  if (filesystem.use !== 'capture') return null
  return createFilesWorld({ source: filesystem.source === 'overlay' ? 'overlay' : 'real', roots: rootsOf(filesToRecord()), tape, recorder, scrubber })
}

function startReplay(options: TestbenchOptions, plan: TestbenchPlan): Capturing {
  const replayed = openReplay({ path: options.tape ?? '', selection: onlyBoundaries(plan.captured), match: options.match, scrub: options.scrub })
  const watch = outside(() => replayed.failStuckWaits(plan.captured.has('clock') && plan.captured.has('network')))
  return {
    session: replayed.session,
    async finish() {
      using _run = replayed
      watch[Symbol.dispose]()
      return await replayed.judge(options.fidelity)
    },
  }
}

function deniedOf(plan: TestbenchPlan): BoundaryName[] {
  return boundaryNames.filter((name) => plan.boundaries[name].use === 'deny')
}

function headerOf(plan: TestbenchPlan, startedAtUnixMs: number | null, scrubber: Scrubber): Scrubbed<TapeHeader> {
  const boundaries: Record<string, { readonly mode: BoundaryMode; readonly source: string | null }> = {}
  for (const name of boundaryNames) {
    const planned = plan.boundaries[name]
    boundaries[name] = planned.use === 'capture' ? { mode: 'record', source: planned.source } : { mode: planned.use, source: null }
  }
  return createScrubbedHeader({ startedAtUnixMs, boundaries, ...headerPlaces(filesToRecord()) }, scrubber)
}

function sealOf(plan: TestbenchPlan): NonNullable<SealFacts['boundaries']> {
  const words = { capture: 'captured', passthrough: 'passed_through', deny: 'denied' } as const
  return Object.fromEntries(boundaryNames.map((name) => [name, words[plan.boundaries[name].use]]))
}
