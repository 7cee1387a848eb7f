/**
 * Compares two runs and reports where they differ: record by record, in a mode, with an alignment.
 *
 * Streams both sides: equal stretches are not held, differences are compared in bounded windows, and the
 * list of findings is bounded while every divergence is counted. Pure but for reading its sources. Damage in
 * a tape is thrown: what cannot be read cannot be called equal.
 */
import { unreachable } from '../base/index.ts'
import { hasFeature } from '../tape/features.ts'
import { alignByContent } from './align/content.ts'
import type { Side } from './align/feed.ts'
import { alignByPosition } from './align/position.ts'
import type { FrameOf } from './clock-reads.ts'
import type { Entry } from './comparable.ts'
import { createDetail } from './detail.ts'
import type { DivergenceFacts, Finding } from './divergence.ts'
import { Lane, type LaneOptions } from './lane.ts'
import { divergencesOf, Ledger, MAX_LISTED } from './ledger.ts'
import {
  type Alignment,
  DEFAULT_ALIGNMENT,
  DEFAULT_MODE,
  type FidelityMode,
  type Strictness,
} from './modes.ts'
import { Noticed } from './noticed.ts'
import { Outcomes } from './outcome.ts'
import { SideReading } from './reading.ts'
import type { FidelityReport } from './report.ts'
import { compareRunEnds } from './run-end.ts'
import { scoreOf } from './score.ts'
import { type Comparable, sourceOf, type TapeSource } from './source.ts'
import { damagedPayloads } from './verify-payloads.ts'
import { isUnproven, warningsOf } from './warnings.ts'

export type CompareOptions = {
  readonly align?: Alignment
  /** Hashes every payload again instead of trusting the hash on the line. */
  readonly verifyPayloads?: boolean
  /**
   * Kinds of records that one tape may have and the other not: they are counted apart, and are no findings.
   */
  readonly toleratedUnmatched?: ReadonlySet<string>
  /** Where the program made a record of the replay. */
  readonly frameOf?: FrameOf
}

export function compare(
  recorded: Comparable,
  replayed: Comparable,
  mode: FidelityMode = DEFAULT_MODE,
  options: CompareOptions = {},
): FidelityReport {
  const step = compareSteps(recorded, replayed, mode, options).next()
  if (step.done !== true) throw new Error('a source that is whole has nothing to wait for')
  return step.value
}

/**
 * The same in steps: stops wherever a side is not ready (`TapeSource.isReady`), and goes on with the next
 * step.
 */
export function* compareSteps(
  recorded: Comparable,
  replayed: Comparable,
  mode: FidelityMode,
  options: CompareOptions,
): Generator<void, FidelityReport, void> {
  const sources = { recorded: sourceOf(recorded, 'recorded'), replayed: sourceOf(replayed, 'replayed') }
  const left = new SideReading(sources.recorded)
  try {
    const right = new SideReading(sources.replayed)
    try {
      return yield* compareReadings(left, right, mode, options)
    } finally {
      right.close()
    }
  } finally {
    left.close()
  }
}

type Lanes = {
  readonly lanes: readonly Lane[]
  /** The lane of a record, or null if this mode ignores it. */
  laneOf(entry: Entry): Lane | null
}

function* compareReadings(
  recorded: SideReading,
  replayed: SideReading,
  mode: FidelityMode,
  options: CompareOptions,
): Generator<void, FidelityReport, void> {
  const align = options.align ?? DEFAULT_ALIGNMENT
  const foreign = [recorded.header, replayed.header].some(
    (header) => header !== null && header.producer === undefined,
  )
  const { toleratedUnmatched } = options
  const isJudged = (feature: 'orderedCalls' | 'knownNames'): boolean =>
    toleratedUnmatched !== undefined && recorded.header !== null && hasFeature(recorded.header, feature)
  const isOrdered = isJudged('orderedCalls')
  const countsCalls = isJudged('knownNames')
  const lane = (strictness: Strictness): Lane =>
    new Lane({
      ...laneOptions(strictness, align, { ownFields: !foreign }, recorded.source, replayed.source),
      toleratedUnmatched,
      frameOf: options.frameOf,
      isOrdered,
      countsCalls,
    })
  const outcomes = mode === 'outcome' ? new Outcomes() : null
  const { lanes, laneOf } = lanesOf(mode, lane)
  const ends = new Ledger()
  const noticed = new Noticed()
  const readings = { recorded, replayed }
  const verify = options.verifyPayloads === true ? damagedPayloads(readings, ends) : null

  const pull = (side: Side): boolean => {
    const entry = readings[side].next()
    if (entry === null) {
      for (const each of lanes) each.feeds[side].end()
      return false
    }
    verify?.(side, entry)
    if (noticed.take(side, entry)) return true
    outcomes?.add(side, entry.record.kind)
    laneOf(entry)?.feeds[side].push(entry)
    return true
  }

  const isReady = (side: Side): boolean => readings[side].isReady
  yield* drive(lanes, pull, isReady)
  if (outcomes !== null) yield* drain(pull, isReady)
  noticed.addTo(ends)
  addAll(ends, outcomes?.divergences() ?? [])
  addAll(ends, compareRunEnds(recorded.seal, replayed.seal, mode))
  const report = makeReport(recorded, replayed, mode, align, [
    ...lanes.map((each) => [each.ledger, each.recordedRecords] as const),
    [ends, 0],
  ])
  return toleratedUnmatched === undefined
    ? report
    : {
        ...report,
        tolerated: lanes.reduce((sum, each) => sum + each.ledger.tolerated, 0),
        clockReads: lanes.flatMap((each) => each.clockReads.listed),
        ...(isOrdered ? { isOrdered } : {}),
        ...(countsCalls ? { countsCalls } : {}),
      }
}

function laneOptions(
  strictness: Strictness,
  align: Alignment,
  scope: LaneOptions['scope'],
  recorded: TapeSource,
  replayed: TapeSource,
): LaneOptions {
  const aligner = align === 'lcs' ? alignByContent : alignByPosition
  return { strictness, scope, align, aligner, detail: createDetail(recorded, replayed) }
}

function lanesOf(mode: FidelityMode, lane: (strictness: Strictness) => Lane): Lanes {
  switch (mode) {
    case 'byte_identical':
    case 'semantic': {
      const only = lane(mode === 'semantic' ? 'semantic' : 'strict')
      return { lanes: [only], laneOf: () => only }
    }
    case 'phase_aware': {
      const [user, runtime] = [lane('strict'), lane('semantic')] as const
      const laneOf = ({ record }: Entry): Lane | null => {
        if (record.phase === 'user_script') return user
        return record.kind.kind === 'clock_read' ? null : runtime
      }
      return { lanes: [user, runtime], laneOf }
    }
    case 'outcome':
      return { lanes: [], laneOf: () => null }
    default:
      return unreachable(mode)
  }
}

/**
 * Reads on for the first lane that needs something; the other lanes go on with what falls to them on the way.
 */
function* drive(
  lanes: readonly Lane[],
  pull: (side: Side) => boolean,
  isReady: (side: Side) => boolean,
): Generator<void, void, void> {
  const [only, ...others] = lanes
  if (only !== undefined && others.length === 0) {
    while (only.needs !== null) {
      while (!isReady(only.needs)) yield
      pull(only.needs)
      only.advance()
    }
    return
  }
  const ended = { recorded: false, replayed: false }
  for (;;) {
    const waiting = lanes.find((lane) => lane.needs !== null)
    if (waiting === undefined || waiting.needs === null) return
    while (!isReady(waiting.needs)) yield
    if (!ended[waiting.needs]) ended[waiting.needs] = !pull(waiting.needs)
    for (const lane of lanes) while (lane.needs !== null && hasMore(lane, lane.needs)) lane.advance()
  }
}

/** True if the lane has received its requested entry since it last advanced. */
function hasMore(lane: Lane, side: Side): boolean {
  return lane.feeds[side].arrived || lane.feeds[side].ended
}

function* drain(
  pull: (side: Side) => boolean,
  isReady: (side: Side) => boolean,
): Generator<void, void, void> {
  for (const side of ['recorded', 'replayed'] as const) {
    do {
      while (!isReady(side)) yield
    } while (pull(side))
  }
}

function addAll(ledger: Ledger, facts: readonly DivergenceFacts[]): void {
  for (const fact of facts) ledger.add(null, null, null, [fact])
}

function makeReport(
  recorded: SideReading,
  replayed: SideReading,
  mode: FidelityMode,
  align: Alignment,
  ledgers: readonly (readonly [Ledger, laneRecords: number])[],
): FidelityReport {
  // The last ledger has what a replay noticed and how the runs ended: differences of records leave room for
  // it.
  const lists = ledgers.map(([ledger, laneRecords]) => ledger.list(laneRecords))
  const ends = lists.at(-1) ?? []
  const room = Math.max(0, MAX_LISTED - ends.length)
  const findings: Finding[] = [...lists.slice(0, -1).flat().slice(0, room), ...ends]
  const categories = new Map<string, number>()
  let divergenceCount = 0
  let findingCount = 0
  for (const [ledger] of ledgers) {
    for (const [category, count] of ledger.categories)
      categories.set(category, (categories.get(category) ?? 0) + count)
    divergenceCount += ledger.divergences
    findingCount += ledger.findings
  }
  const warnings = warningsOf(recorded, replayed)
  return {
    verdict: divergenceCount > 0 ? 'diverged' : warnings.some(isUnproven) ? 'unverified' : 'same',
    mode,
    align,
    recordedRecords: recorded.records,
    replayRecords: replayed.records,
    divergences: divergencesOf(findings),
    divergenceCount,
    findings,
    findingCount,
    score: scoreOf(mode, divergenceCount, recorded.records, replayed.records),
    categories: Object.fromEntries([...categories].sort(([a], [b]) => (a < b ? -1 : 1))),
    gaps: { recorded: recorded.gaps, replayed: replayed.gaps },
    warnings,
  }
}
