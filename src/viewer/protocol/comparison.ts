/**
 * Two tapes side by side. Aligned by the oracle of `reprise fidelity`; rows of both sides keep their own
 * numbers.
 */
import type { Row } from './rows.ts'

export type ComparisonDocument = {
  /** Items of the two tapes. */
  readonly recorded: string
  readonly replayed: string
  /**
   * `failed`: the tapes could not be compared (one is damaged); `problem` is the reason, and rows are paired by
   * position.
   */
  readonly verdict: 'same' | 'diverged' | 'unverified' | 'failed'
  readonly problem: string | null
  readonly mode: string
  readonly align: string
  /** 0 to 1. */
  readonly score: number
  readonly recordedRecords: number
  readonly replayedRecords: number
  readonly divergenceCount: number
  readonly findingCount: number
  /** Findings that can be fetched; the report lists at most 10,000 divergences. */
  readonly findingsListed: number
  readonly categories: readonly { readonly category: string; readonly count: number }[]
  readonly warnings: readonly string[]
  /** One line: how the comparison ended. */
  readonly headline: string
  /** Aligned rows in all. */
  readonly alignedRows: number
  /** Position of the first difference among the aligned rows, or null. */
  readonly firstDifference: number | null
  /**
   * False if some rows are `uncompared`: the report lists too many findings, or the mode does not look at
   * every record.
   */
  readonly alignmentComplete: boolean
}

/** `uncompared`: paired by position; the records were not compared. */
export type AlignedState = 'same' | 'changed' | 'missing' | 'extra' | 'uncompared'

export type AlignedRequest = {
  readonly from: number
  readonly count: number
  /** `differences`: only rows that are not `same`. */
  readonly show: 'all' | 'differences'
}

export type AlignedWindow = {
  readonly total: number
  readonly from: number
  readonly rows: readonly AlignedRow[]
}

export type AlignedRow = {
  /** Position among all aligned rows, whatever is shown. */
  readonly position: number
  readonly state: AlignedState
  readonly recorded: Row | null
  readonly replayed: Row | null
  /** Number of the finding about this pair, for `comparisonFinding`; null for `same`. */
  readonly finding: number | null
}

export type ComparisonFinding = {
  readonly finding: number
  readonly position: number | null
  /** `Replay diverged at record 42: expected …, got …` */
  readonly headline: string
  readonly hint: string | null
  readonly recordedRow: number | null
  readonly replayedRow: number | null
  readonly divergences: readonly ComparisonDivergence[]
}

export type ComparisonDivergence = {
  readonly category: string
  readonly code: string
  /** `$.kind.exit_code`, or null. */
  readonly path: string | null
  readonly message: string
  /** Both values as text, bounded; null where there is none. */
  readonly expected: string | null
  readonly actual: string | null
  /** Where inside a payload the first difference is, in words; null if unknown. */
  readonly place: string | null
}
