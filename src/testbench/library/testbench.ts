/**
 * The library: a session for part of a process, boundary by boundary.
 *
 * A boundary that was not requested is left to the session around this one, or not captured. Sessions nest:
 * the inner one wins, and the outer one continues when the inner one has ended, in whichever order they end.
 * Every patched property is exactly restored when the last session that needs it has closed.
 */
import { enterLayer, layerOfProcess, outside, type SessionFor } from '../../boundaries/context.ts'
import { type BoundaryName, boundaryNames } from '../../boundaries/names.ts'
import { retireConnections } from '../../boundaries/network/connection.ts'
import { useRecordedChildren } from '../../boundaries/process/recorded-child.ts'
import type { Session } from '../../boundaries/session.ts'
import { fs } from '../../real/fs.ts'
import type { BoundaryMode, HeaderFacts, SealFacts } from '../../tape/index.ts'
import { runSummary } from '../../tape/run-summary.ts'
import type { RecordSources } from '../children/record-sources.ts'
import { recordChildren } from '../children/recorded-children.ts'
import { openSession } from '../compose/open-session.ts'
import type { RecordedFiles } from '../files/places.ts'
import { installForSession, patchesOf } from '../install/process-boundaries.ts'
import { onlyBoundaries } from '../tape-index/tape-selection.ts'
import type { ReplayReport } from '../verdict/verdict.ts'
import { denyingSession } from './denying-session.ts'
import { failureOf } from './in-process.ts'
import { openReplay } from './open-replay.ts'
import { type PlannedBoundary, planOf, type TestbenchOptions, type TestbenchPlan } from './options.ts'

export type Testbench = {
  /** Starts the session. Code after `await` is in it. */
  activate(): Promise<TestbenchSession>
}

export type TestbenchSession = AsyncDisposable & {
  /** `live` is a session without a tape. */
  readonly mode: 'record' | 'replay' | 'live'
  readonly tape: string | null
  /** Runs `body` in this session, whatever the context of the caller. */
  run<T>(body: () => T): T
  /**
   * Ends the session: seals the tape, or judges the replay and returns the report. Throws if the tape is not
   * whole, or the replay is not faithful to it. Closing again does nothing and returns the same report.
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
          const patches = installForSession(
            [...plan.captured, ...deniedOf(plan)]
              .flatMap((name) => patchesOf(name))
              .concat(patchesOf('offthread')),
          )
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
  /** Its connections are not shared. */
  retire(): void
  /** Ends what was captured; returns the report of a replay. */
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
  return {
    sessionFor(boundary) {
      if (boundary === undefined || boundary === 'offthread')
        return plan.captured.size > 0 ? capturing.session : undefined
      return plan.captured.has(boundary) ? capturing.session : denied.get(boundary)
    },
    retire: () => retireConnections(capturing.session),
    finish: () => capturing.finish(),
  }
}

type Capturing = { readonly session: Session; finish(): Promise<ReplayReport | null> }

function startRecording(options: TestbenchOptions, plan: TestbenchPlan): Capturing {
  const { tape, onSummary } = options
  const { clock, filesystem } = plan.boundaries
  const startAt = plan.startAtMs === null ? {} : { startAtMs: plan.startAtMs }
  const recording = openSession({
    from: 'world',
    tape: tape ?? null,
    force: options.force,
    header: { boundaries: headerBoundaries(plan) },
    match: options.match,
    scrub: options.scrub,
    paused: clock.use === 'capture' && clock.source === 'paused' ? startAt : null,
    seed: plan.seed,
    allowHosts: plan.allowHosts,
    files: filesOf(filesystem),
    isPart: true,
  })
  const { session, scrubber } = recording
  const children = tape === undefined ? null : recordChildren(tape, sourcesOf(plan), scrubber)
  if (children !== null && options.children !== 'off') useRecordedChildren(session, children.recordChild)
  return {
    session,
    async finish() {
      recording.finalize()
      recording.close(() => ({ boundaries: sealOf(plan), ...children?.seals() }))
      if (tape !== undefined && onSummary !== undefined) onSummary(outside(() => runSummary(tape)))
      return null
    },
  }
}

/** What a Node child gets from the same place as the session. */
function sourcesOf({ boundaries: { clock }, startAtMs, seed, allowHosts }: TestbenchPlan): RecordSources {
  return {
    files: { source: 'real' },
    ...(clock.use === 'capture' && clock.source === 'paused' ? { clock: 'paused' } : {}),
    ...(startAtMs === null ? {} : { startAt: startAtMs }),
    ...(seed === null ? {} : { seed }),
    ...(allowHosts === null ? {} : { network: 'deny', allowHosts }),
  }
}

function filesOf(planned: PlannedBoundary): RecordedFiles | null {
  if (planned.use !== 'capture') return null
  return { source: planned.source === 'overlay' ? 'overlay' : 'real' }
}

function startReplay(options: TestbenchOptions, plan: TestbenchPlan): Capturing {
  const { match, scrub, fidelity: mode } = options
  const replayed = openReplay({
    path: options.tape ?? '',
    selection: onlyBoundaries(plan.captured),
    match,
    scrub,
    mode,
  })
  const watch = outside(() =>
    replayed.failStuckWaits(plan.captured.has('clock') && plan.captured.has('network')),
  )
  return {
    session: replayed.session,
    async finish() {
      using _run = replayed
      watch[Symbol.dispose]()
      return replayed.judge()
    },
  }
}

function deniedOf(plan: TestbenchPlan): BoundaryName[] {
  return boundaryNames.filter((name) => plan.boundaries[name].use === 'deny')
}

function headerBoundaries(plan: TestbenchPlan): NonNullable<HeaderFacts['boundaries']> {
  const boundaries: Record<string, { readonly mode: BoundaryMode; readonly source: string | null }> = {}
  for (const name of boundaryNames) {
    const planned = plan.boundaries[name]
    boundaries[name] =
      planned.use === 'capture'
        ? { mode: 'record', source: planned.source }
        : { mode: planned.use, source: null }
  }
  return boundaries
}

function sealOf(plan: TestbenchPlan): NonNullable<SealFacts['boundaries']> {
  const words = { capture: 'captured', passthrough: 'passed_through', deny: 'denied' } as const
  return Object.fromEntries(boundaryNames.map((name) => [name, words[plan.boundaries[name].use]]))
}
