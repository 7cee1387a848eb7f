/**
 * What the viewer has to report against a file. Shown on the overview, as marks in the timeline, and reached
 * with `n` and `p`.
 */
export type ViewerFinding = {
  /**
   * A code of `verify` (`torn`, `damage`, `gap`, `unsealed`, `seal-count`, …) or an error code (`tape-empty`,
   * `cas-missing`, …).
   */
  readonly code: string
  /** `fault`: something is wrong or missing. `note`: worth knowing, changes no verdict. */
  readonly severity: 'fault' | 'note'
  /** The row it belongs to, or null where it is about the whole file. */
  readonly row: number | null
  /** Line of the file, from 1, or null. */
  readonly line: number | null
  readonly message: string
  /** What the user can do next, or null. */
  readonly hint: string | null
}

export type FindingList = {
  readonly findings: readonly ViewerFinding[]
  /** Findings that were counted and are not listed. */
  readonly more: number
}
