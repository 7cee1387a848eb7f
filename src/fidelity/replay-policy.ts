/**
 * What a replay may do differently without being called another run. `fidelity a b` knows none of this: it
 * compares two tapes as they are. A judge of a replay applies these rows to the findings of the chosen mode.
 */
import type { Finding } from './divergence.ts'
import { divergencesOf } from './ledger.ts'
import type { FidelityMode } from './modes.ts'
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
    reason: 'a module that takes longer to load moves a call among the calls of its turn',
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
export function applyReplayPolicy(compared: FidelityReport, headers: readonly string[] = []): FidelityReport {
  const rows = rowsOf(compared.mode)
  const context = { moved: movedOf(compared.findings), headers }
  const isTolerated = (finding: Finding): boolean =>
    rows.some((row) =>
      'unmatchedKinds' in row
        ? isUnmatched(finding) && row.unmatchedKinds.has(kindOf(finding))
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

function isUnmatched({ recorded, replayed }: Finding): boolean {
  return (recorded === null) !== (replayed === null)
}

function kindOf({ recorded, replayed }: Finding): string {
  return (recorded ?? replayed)?.kind ?? ''
}

/** Pairs of findings in which the program made the same call at another place. */
function movedOf(findings: readonly Finding[]): Set<Finding> {
  const missing = new Map<string, Finding[]>()
  const moved = new Set<Finding>()
  const nameOf = (finding: Finding): string =>
    `${kindOf(finding)} ${(finding.recorded ?? finding.replayed)?.summary}`
  for (const finding of findings) {
    if (finding.recorded === null || finding.replayed !== null || !CALLS.has(kindOf(finding))) continue
    missing.set(nameOf(finding), [...(missing.get(nameOf(finding)) ?? []), finding])
  }
  for (const finding of findings) {
    if (finding.recorded !== null || !CALLS.has(kindOf(finding))) continue
    const other = missing.get(nameOf(finding))?.shift()
    if (other === undefined) continue
    moved.add(finding)
    moved.add(other)
  }
  return moved
}
