/**
 * Compares two tapes with the oracle of `reprise fidelity` and turns its findings into an alignment of rows:
 * between two findings, rows are equal and in step.
 *
 * A tape that the oracle refuses (damage) gives a `failed` comparison with rows paired by position: the
 * viewer opens and shows the reason.
 */
import { unreachable } from '../../base/index.ts'
import { isRepriseError } from '../../errors/index.ts'
import { compareTapes } from '../../fidelity/compare-tapes.ts'
import type { Divergence, Finding, Place } from '../../fidelity/divergence.ts'
import { headline, hintFor, payloadPlace, payloadValues } from '../../fidelity/formats/presented.ts'
import { DEFAULT_MODE, type FidelityMode } from '../../fidelity/modes.ts'
import type { FidelityReport } from '../../fidelity/report.ts'
import { warningSentence } from '../../fidelity/sentences.ts'
import type { IndexMetadata } from '../layout/metadata.ts'
import type { ComparisonDivergence, ComparisonDocument, ComparisonFinding } from '../protocol/comparison.ts'
import type { AlignedRun, ComparisonParts } from '../source/comparison-view.ts'

export type ComparedTape = {
  readonly item: string
  readonly path: string
  readonly metadata: IndexMetadata
  /** First row of the phase `runtime_finalize`, or the number of rows. */
  readonly finalizeRow: number
}

export async function comparisonParts(
  recorded: ComparedTape,
  replayed: ComparedTape,
  mode: FidelityMode = DEFAULT_MODE,
): Promise<ComparisonParts> {
  const items = { recorded: recorded.item, replayed: replayed.item, mode }
  try {
    const report = await compareTapes(recorded.path, replayed.path, mode)
    const findings = report.findings.map((finding, number) =>
      findingOf(finding, number, recorded.metadata, replayed.metadata),
    )
    const compared = comparedUntil(report, findings, recorded, replayed)
    const { runs, positions } = alignment(findings, recorded.metadata.rows, replayed.metadata.rows, compared)
    const placed = findings.map((finding) => ({
      ...finding,
      position: positions.get(finding.finding) ?? null,
    }))
    return { document: { ...items, ...documentOf(report, runs, placed) }, runs, findings: placed }
  } catch (error) {
    if (!isRepriseError(error)) throw error
    return {
      document: { ...items, ...failed(error.message, recorded.metadata, replayed.metadata) },
      ...byPosition(recorded.metadata.rows, replayed.metadata.rows),
    }
  }
}

function findingOf(
  finding: Finding,
  number: number,
  recorded: IndexMetadata,
  replayed: IndexMetadata,
): ComparisonFinding {
  return {
    finding: number,
    position: null,
    headline: headline(finding),
    hint: hintFor(finding),
    recordedRow: rowOf(finding.recorded, recorded),
    replayedRow: rowOf(finding.replayed, replayed),
    divergences: finding.divergences.map(divergenceOf),
  }
}

/**
 * A report names records by number and line; in a tape without damage and blank lines the line gives the row.
 */
function rowOf(place: Place | null, { seqIsRow }: IndexMetadata): number | null {
  if (place === null) return null
  return seqIsRow ? place.seq : place.line - 2
}

function divergenceOf(divergence: Divergence): ComparisonDivergence {
  const values = payloadValues(divergence)
  const text = (value: Divergence['expected']): string | null => (value === null ? null : shown(value))
  return {
    category: divergence.category,
    code: divergence.code,
    path: divergence.path,
    message: divergence.message,
    expected: values?.[0] ?? text(divergence.expected),
    actual: values?.[1] ?? text(divergence.actual),
    place: payloadPlace(divergence),
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= 4000 ? text : `${text.slice(0, 4000)}… (${text.length - 4000} more characters)`
}

/** Rows before these were compared by the oracle. */
type Compared = { readonly recorded: number; readonly replayed: number }

function comparedUntil(
  report: FidelityReport,
  findings: readonly ComparisonFinding[],
  recorded: ComparedTape,
  replayed: ComparedTape,
): Compared {
  switch (report.mode) {
    case 'outcome':
      return { recorded: 0, replayed: 0 }
    case 'phase_aware':
      return { recorded: recorded.finalizeRow, replayed: replayed.finalizeRow }
    case 'semantic':
    case 'byte_identical': {
      if (findings.length === report.findingCount)
        return { recorded: recorded.metadata.rows, replayed: replayed.metadata.rows }
      const last = (side: 'recordedRow' | 'replayedRow'): number =>
        Math.max(0, ...findings.slice(-100).map((finding) => finding[side] ?? 0))
      return { recorded: last('recordedRow'), replayed: last('replayedRow') }
    }
    default:
      return unreachable(report.mode)
  }
}

type Aligned = { readonly runs: readonly AlignedRun[]; readonly positions: ReadonlyMap<number, number> }

function alignment(
  findings: readonly ComparisonFinding[],
  recordedRows: number,
  replayedRows: number,
  compared: Compared,
): Aligned {
  const runs: AlignedRun[] = []
  const positions = new Map<number, number>()
  let [left, right, position] = [0, 0, 0]
  const add = (run: AlignedRun): void => {
    if (run.count <= 0) return
    if (run.finding !== null) positions.set(run.finding, position)
    runs.push(run)
    position += run.count
  }
  /** Rows before the next finding: equal in pairs; what is left on one side has no finding of its own. */
  const upTo = (leftEnd: number, rightEnd: number): void => {
    const count = Math.max(0, Math.min(leftEnd - left, rightEnd - right))
    const known = Math.max(0, Math.min(count, compared.recorded - left, compared.replayed - right))
    add({ state: 'same', recorded: left, replayed: right, count: known, finding: null })
    add({
      state: 'uncompared',
      recorded: left + known,
      replayed: right + known,
      count: count - known,
      finding: null,
    })
    left += count
    right += count
    for (; left < leftEnd; left += 1)
      add({ state: 'missing', recorded: left, replayed: -1, count: 1, finding: null })
    for (; right < rightEnd; right += 1)
      add({ state: 'extra', recorded: -1, replayed: right, count: 1, finding: null })
  }
  for (const { finding, recordedRow, replayedRow } of findings) {
    if (recordedRow !== null && replayedRow !== null && recordedRow >= left && replayedRow >= right) {
      upTo(recordedRow, replayedRow)
      add({ state: 'changed', recorded: recordedRow, replayed: replayedRow, count: 1, finding })
      ;[left, right] = [recordedRow + 1, replayedRow + 1]
    } else if (recordedRow !== null && replayedRow === null && recordedRow >= left) {
      const step = recordedRow - left
      upTo(recordedRow, right + step)
      add({ state: 'missing', recorded: recordedRow, replayed: -1, count: 1, finding })
      left = recordedRow + 1
    } else if (replayedRow !== null && recordedRow === null && replayedRow >= right) {
      const step = replayedRow - right
      upTo(left + step, replayedRow)
      add({ state: 'extra', recorded: -1, replayed: replayedRow, count: 1, finding })
      right = replayedRow + 1
    }
  }
  upTo(recordedRows, replayedRows)
  return { runs, positions }
}

function byPosition(recordedRows: number, replayedRows: number): Pick<ComparisonParts, 'runs' | 'findings'> {
  return { runs: alignment([], recordedRows, replayedRows, { recorded: 0, replayed: 0 }).runs, findings: [] }
}

function documentOf(
  report: FidelityReport,
  runs: readonly AlignedRun[],
  findings: readonly ComparisonFinding[],
): Omit<ComparisonDocument, 'recorded' | 'replayed' | 'mode'> {
  const [first] = report.findings
  return {
    verdict: report.verdict,
    problem: null,
    align: report.align,
    score: report.score,
    recordedRecords: report.recordedRecords,
    replayedRecords: report.replayRecords,
    divergenceCount: report.divergenceCount,
    findingCount: report.findingCount,
    findingsListed: findings.length,
    categories: Object.entries(report.categories).map(([category, count]) => ({ category, count })),
    warnings: report.warnings.map(warningSentence),
    headline: first === undefined ? `${report.verdict}: no divergence` : headline(first),
    alignedRows: runs.reduce((sum, { count }) => sum + count, 0),
    firstDifference: findings.find(({ position }) => position !== null)?.position ?? null,
    alignmentComplete: runs.every(({ state }) => state !== 'uncompared'),
  }
}

function failed(
  problem: string,
  recorded: IndexMetadata,
  replayed: IndexMetadata,
): Omit<ComparisonDocument, 'recorded' | 'replayed' | 'mode'> {
  return {
    verdict: 'failed',
    problem,
    align: 'position',
    score: 0,
    recordedRecords: recorded.overview.records,
    replayedRecords: replayed.overview.records,
    divergenceCount: 0,
    findingCount: 0,
    findingsListed: 0,
    categories: [],
    warnings: [],
    headline: `the tapes cannot be compared: ${problem}`,
    alignedRows: Math.max(recorded.rows, replayed.rows),
    firstDifference: null,
    alignmentComplete: false,
  }
}
