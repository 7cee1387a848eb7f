/**
 * What a replay may do differently without being called another run. `fidelity a b` knows none of this: it
 * compares two tapes as they are. A judge of a replay applies these rows to the findings of the chosen mode.
 */
import type { Finding } from './divergence.ts'
import { divergencesOf } from './ledger.ts'
import type { FidelityMode } from './modes.ts'
import { type Moved, movedFinding } from './moved-calls.ts'
import type { FidelityReport } from './report.ts'
import { scoreOf } from './score.ts'
import { isUnproven } from './warnings.ts'

export type ReplayTolerance = {
  readonly name: string
  readonly reason: string
  /** Whether it holds when every byte must be equal. */
  readonly inByteIdentical: boolean
} & (
  | { /** Kinds of records that only one run may have. */ readonly unmatchedKinds: ReadonlySet<string> }
  | { readonly tolerates: (finding: Finding, context: PolicyContext) => boolean }
)

type PolicyContext = {
  /** Calls that were made a little earlier or later. */
  readonly moved: ReadonlySet<Finding>
  /** Names of request headers that count. */
  readonly headers: readonly string[]
}

/** Kinds that are written where the program makes a call. */
const CALLS: ReadonlySet<string> = new Set([
  'effect_start',
  'fs_call',
  'file_read',
  'file_write',
  'file_delete',
  'process_spawn',
])

export const replayPolicy: readonly ReplayTolerance[] = [
  {
    name: 'clock and random reads',
    reason: 'reads that only one run makes are counted; the session reports them as a sum where they count',
    inByteIdentical: true,
    unmatchedKinds: new Set(['clock_read', 'random_read']),
  },
  {
    name: 'environment reads',
    reason: 'a variable that is read more or less often has the same value',
    inByteIdentical: false,
    unmatchedKinds: new Set(['env_read']),
  },
  {
    name: 'remarks',
    reason: 'what a recorder remarks is no input; gaps and notes have their own place in the verdict',
    inByteIdentical: true,
    unmatchedKinds: new Set(['gap', 'note', 'file_state']),
  },
  {
    name: 'moved calls',
    reason:
      'tapes without the feature orderedCalls: a module that takes longer to load moves calls of its turn',
    inByteIdentical: false,
    tolerates: (finding, { moved }) => moved.has(finding),
  },
  {
    name: 'request headers',
    reason: 'headers are not part of the match key, unless match.headers names them',
    inByteIdentical: false,
    tolerates: ({ divergences }, { headers }) =>
      headers.length === 0 &&
      divergences.length > 0 &&
      divergences.every(({ category }) => category === 'http_exchange_request_headers'),
  },
]

/** For `compare`: kinds that only one run may have. However many there are, they hide nothing else. */
export function toleratedUnmatched(mode: FidelityMode): ReadonlySet<string> {
  return new Set(rowsOf(mode).flatMap((row) => ('unmatchedKinds' in row ? [...row.unmatchedKinds] : [])))
}

/** A comparison that counts only what counts against a replay. */
export function applyReplayPolicy(report: FidelityReport, headers: readonly string[] = []): FidelityReport {
  const pairs = movedPairs(report.findings)
  const ordered = report.isOrdered === true ? pairs.filter(isCall) : []
  const compared = ordered.length === 0 ? report : withMoved(report, ordered)
  const rows = rowsOf(compared.mode)
  const context = { moved: new Set(pairs.flatMap(({ missing, extra }) => [missing, extra])), headers }
  const isTolerated = (finding: Finding): boolean =>
    rows.some((row) =>
      'unmatchedKinds' in row
        ? isUnmatched(finding) &&
          row.unmatchedKinds.has(kindOf(finding)) &&
          !(compared.countsCalls === true && isCalledFact(finding))
        : row.tolerates(finding, context),
    )
  const findings = compared.findings.filter((finding) => !isTolerated(finding))
  const dropped = compared.findings.filter(isTolerated)
  if (dropped.length === 0) return compared
  const divergenceCount = compared.divergenceCount - divergencesOf(dropped).length
  return {
    ...compared,
    verdict: divergenceCount > 0 ? 'diverged' : compared.warnings.some(isUnproven) ? 'unverified' : 'same',
    divergences: divergencesOf(findings),
    divergenceCount,
    findings,
    findingCount: compared.findingCount - dropped.length,
    score: scoreOf(compared.mode, divergenceCount, compared.recordedRecords, compared.replayRecords),
    categories: withoutDropped(compared.categories, dropped),
    tolerated: (compared.tolerated ?? 0) + dropped.length,
  }
}

function rowsOf(mode: FidelityMode): readonly ReplayTolerance[] {
  return replayPolicy.filter(({ inByteIdentical }) => inByteIdentical || mode !== 'byte_identical')
}

function withoutDropped(
  categories: FidelityReport['categories'],
  dropped: readonly Finding[],
): FidelityReport['categories'] {
  const left = new Map(Object.entries(categories))
  for (const { category } of divergencesOf(dropped)) left.set(category, (left.get(category) ?? 0) - 1)
  return Object.fromEntries([...left].filter(([, count]) => count > 0))
}

/** A call whose answer is recorded as a fact, such as `process.kill`. */
function isCalledFact(finding: Finding): boolean {
  return kindOf(finding) === 'env_read' && (finding.recorded ?? finding.replayed)?.key !== undefined
}

function isUnmatched({ recorded, replayed }: Finding): boolean {
  return (recorded === null) !== (replayed === null)
}

function kindOf({ recorded, replayed }: Finding): string {
  return (recorded ?? replayed)?.kind ?? ''
}

function isCallFinding(finding: Finding): boolean {
  return CALLS.has(kindOf(finding)) || isCalledFact(finding)
}

/** An outcome has no key: its place is that of its effect. */
function isCall({ missing }: Moved): boolean {
  return missing.recorded?.key !== undefined
}

/** Each pair becomes one finding, where its first one is: outcomes of the call follow it. */
function withMoved(report: FidelityReport, pairs: readonly Moved[]): FidelityReport {
  const byFinding = new Map(
    pairs.flatMap((pair) => [[pair.missing, pair] as const, [pair.extra, pair] as const]),
  )
  const placed = new Set<Moved>()
  const findings = report.findings.flatMap((finding) => {
    const pair = byFinding.get(finding)
    if (pair === undefined) return [finding]
    if (placed.has(pair)) return []
    placed.add(pair)
    return [movedFinding(pair)]
  })
  const both = pairs.flatMap(({ missing, extra }) => [missing, extra])
  const lost = divergencesOf(both).length - pairs.length
  const categories = withoutDropped(report.categories, both)
  return {
    ...report,
    findings,
    findingCount: report.findingCount - pairs.length,
    divergences: divergencesOf(findings),
    divergenceCount: report.divergenceCount - lost,
    categories: { ...categories, out_of_order: (categories.out_of_order ?? 0) + pairs.length },
  }
}

/** Pairs of findings in which the program made the same call at another place. */
function movedPairs(findings: readonly Finding[]): Moved[] {
  const missing = new Map<string, Finding[]>()
  const moved: Moved[] = []
  const nameOf = (finding: Finding): string =>
    `${kindOf(finding)} ${(finding.recorded ?? finding.replayed)?.summary}`
  for (const finding of findings) {
    if (finding.recorded === null || finding.replayed !== null || !isCallFinding(finding)) continue
    missing.set(nameOf(finding), [...(missing.get(nameOf(finding)) ?? []), finding])
  }
  for (const finding of findings) {
    if (finding.recorded !== null || !isCallFinding(finding)) continue
    const other = missing.get(nameOf(finding))?.shift()
    if (other === undefined) continue
    moved.push({ missing: other, extra: finding })
  }
  return moved
}
