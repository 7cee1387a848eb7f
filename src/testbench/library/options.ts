/**
 * The options of `testbench`, and what they mean: for each boundary whether the session captures it, denies
 * it or does not touch it, and where its values come from. Pure; invalid options throw before anything is
 * opened or patched.
 */
import { type BoundaryName, boundaryNames } from '../../boundaries/names.ts'
import { wrongHost } from '../../boundaries/network/policy.ts'
import { RepriseError } from '../../errors/index.ts'
import type { ScrubOptions } from '../../scrub/index.ts'
import type { BoundaryMode } from '../../tape/index.ts'
import type { RunSummary } from '../../tape/run-summary.ts'
import type { MatchRules } from '../keys/request-key.ts'
import type { ReplayMode } from '../verdict/verdict.ts'

/** A mode, or `'real'`: captured, with real calls. */
export type BoundarySetting = BoundaryMode | 'real'

export type ClockSetting =
  | BoundarySetting
  | 'paused'
  | { readonly mode?: BoundaryMode; readonly source?: 'real' | 'paused'; readonly startAt?: number }
export type RandomSetting = BoundarySetting | { readonly mode?: BoundaryMode; readonly seed: string | number }
export type NetworkSetting =
  | BoundarySetting
  | { readonly mode?: BoundaryMode; readonly allow: readonly string[] }
export type PlainSetting = BoundarySetting | { readonly mode?: BoundaryMode }

/**
 * Boundaries without their own option: `env`, `process`, `terminal` (children on a pseudo-terminal), and so
 * on.
 */
type PlainBoundary = Exclude<BoundaryName, 'clock' | 'random' | 'network' | 'filesystem'>

export type TestbenchOptions = { readonly [name in PlainBoundary]?: PlainSetting } & {
  /**
   * The tape to record or to replay. Without one nothing is recorded: the session only provides a paused
   * clock, a seed, a denied network.
   */
  readonly tape?: string
  /** `auto` (default) replays if the tape exists and records otherwise. */
  readonly mode?: 'record' | 'replay' | 'auto'
  /** Replaces an existing tape when recording. */
  readonly force?: boolean
  /**
   * `context` (default): the session is active for the code that awaits `activate()` and for everything that
   * this code starts. `process`: for all code that belongs to no other session; use it in a `beforeEach`
   * hook.
   */
  readonly scope?: 'context' | 'process'
  /** `paused` starts at `startAt` (UNIX milliseconds, default 1767225600000), and sleeping takes no time. */
  readonly clock?: ClockSetting
  /** With a seed every random value comes from it. */
  readonly random?: RandomSetting
  /** `deny` refuses every address; `{ allow }` every address but these: `host`, `*.host`, `10.0.0.0/8`. */
  readonly network?: NetworkSetting
  /** `overlay`: written files stay in a layer over the files, and the disk is not changed. */
  readonly filesystem?: PlainSetting | 'overlay'
  readonly match?: MatchRules
  readonly scrub?: Pick<ScrubOptions, 'rules'>
  /** How strictly a replay is judged; `semantic` by default. */
  readonly fidelity?: ReplayMode
  /** `off`: Node children have no tapes of their own. */
  readonly children?: 'on' | 'off'
  /** Called when a recorded tape is whole, with its contents. */
  readonly onSummary?: (summary: RunSummary) => void
}

export type PlannedBoundary =
  | { readonly use: 'passthrough' }
  | { readonly use: 'deny' }
  | { readonly use: 'capture'; readonly source: 'real' | 'paused' | 'seeded' | 'deny' | 'overlay' }

export type TestbenchPlan = {
  /** `live`: without a tape. */
  readonly mode: 'record' | 'replay' | 'live'
  readonly boundaries: Readonly<Record<BoundaryName, PlannedBoundary>>
  readonly captured: ReadonlySet<BoundaryName>
  readonly startAtMs: number | null
  readonly seed: string | null
  /** Null if every address may be reached. */
  readonly allowHosts: readonly string[] | null
}

/** `isThere` returns whether the tape exists. */
export function planOf(options: TestbenchOptions, isThere: (tape: string) => boolean): TestbenchPlan {
  const mode = sessionMode(options, isThere)
  const boundaries = Object.fromEntries(
    boundaryNames.map((name) => [name, planned(name, options[name])]),
  ) as TestbenchPlan['boundaries']
  return {
    mode,
    boundaries,
    captured: new Set(boundaryNames.filter((name) => boundaries[name].use === 'capture')),
    startAtMs: startOf(options.clock),
    seed: typeof options.random === 'object' && 'seed' in options.random ? String(options.random.seed) : null,
    allowHosts: hostsOf(options.network),
  }
}

type AnySetting =
  | BoundarySetting
  | 'paused'
  | 'overlay'
  | { readonly mode?: BoundaryMode; readonly [key: string]: unknown }
  | undefined

function sessionMode(options: TestbenchOptions, isThere: (tape: string) => boolean): TestbenchPlan['mode'] {
  const wanted = new Set(
    boundaryNames
      .map((name) => requestedMode(options[name]))
      .filter((mode) => mode === 'record' || mode === 'replay'),
  )
  const asked = options.mode ?? 'auto'
  if (!['record', 'replay', 'auto'].includes(asked))
    throw wrong(`mode ${JSON.stringify(asked)}: it is record, replay or auto`)
  if (asked !== 'auto') wanted.add(asked)
  const [only, other] = [...wanted]
  if (other !== undefined)
    throw wrong('a session either records or replays its tape: these boundaries ask for both')
  if (options.tape !== undefined) return only ?? (isThere(options.tape) ? 'replay' : 'record')
  if (only !== undefined) throw wrong(`${only} needs a tape`)
  return 'live'
}

function requestedMode(asked: AnySetting): BoundaryMode | undefined {
  if (typeof asked === 'object') return asked.mode
  return asked === 'real' || asked === 'paused' || asked === 'overlay' ? undefined : asked
}

function planned(name: BoundaryName, asked: AnySetting): PlannedBoundary {
  if (asked === undefined) return { use: 'passthrough' }
  const wanted = requestedMode(asked)
  checkWords(name, asked, wanted)
  if (wanted === 'passthrough') return { use: 'passthrough' }
  const sourced =
    typeof asked === 'object' && ('allow' in asked || 'seed' in asked || asked.source !== undefined)
  // A denied network is a source: the refusals are on the tape, and come from it in a replay.
  if (wanted === 'deny' && name !== 'network') return { use: 'deny' }
  if (wanted === 'deny' || (name === 'network' && sourced)) return { use: 'capture', source: 'deny' }
  if (name === 'random' && sourced) return { use: 'capture', source: 'seeded' }
  if (asked === 'overlay') return { use: 'capture', source: 'overlay' }
  const paused = asked === 'paused' || (typeof asked === 'object' && asked.source === 'paused')
  return { use: 'capture', source: paused ? 'paused' : 'real' }
}

const MODES: readonly unknown[] = ['record', 'replay', 'passthrough', 'deny', undefined]

function checkWords(name: BoundaryName, asked: AnySetting, wanted: unknown): void {
  const words = name === 'clock' ? ['real', 'paused'] : name === 'filesystem' ? ['real', 'overlay'] : ['real']
  const known =
    typeof asked === 'object'
      ? asked !== null && MODES.includes(wanted)
      : words.includes(String(asked)) || MODES.includes(asked)
  if (!known)
    throw wrong(
      `${name}: ${JSON.stringify(asked)}; it takes record, replay, passthrough, deny${words.map((word) => `, ${word}`).join('')}`,
    )
  if (typeof asked !== 'object' || asked.source === undefined) return
  if (name !== 'clock' || !words.includes(String(asked.source)))
    throw wrong(`${name}: it has no source ${JSON.stringify(asked.source)}`)
}

function startOf(clock: ClockSetting | undefined): number | null {
  if (typeof clock !== 'object' || clock.startAt === undefined) return null
  if (!Number.isSafeInteger(clock.startAt) || clock.startAt < 0)
    throw wrong(`clock.startAt is UNIX milliseconds, not ${String(clock.startAt)}`)
  if (clock.source !== 'paused') throw wrong('clock.startAt needs source: paused')
  return clock.startAt
}

function hostsOf(network: NetworkSetting | undefined): readonly string[] | null {
  if (network === 'deny') return []
  if (typeof network !== 'object' || network.mode === 'passthrough') return null
  for (const host of network.allow) {
    const why = wrongHost(host)
    if (why !== null) throw wrong(`network.allow ${JSON.stringify(host)}: ${why}`)
  }
  return network.allow
}

function wrong(message: string): RepriseError {
  return new RepriseError('usage', `testbench: ${message}`, { hint: 'see docs/guides/library.md' })
}
