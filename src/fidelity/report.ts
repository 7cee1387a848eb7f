/**
 * The result of a comparison, as data.
 *
 * Decision 0032.
 */
import type { UnmatchedRead } from './clock-reads.ts'
import type { Divergence, Finding } from './divergence.ts'
import type { Alignment, FidelityMode } from './modes.ts'
import type { Warning } from './warnings.ts'

/** `unverified`: no difference was found, but the tapes do not prove that there is none (see the warnings). */
export type FidelityVerdict = 'same' | 'diverged' | 'unverified'

export type FidelityReport = {
  readonly verdict: FidelityVerdict
  readonly mode: FidelityMode
  readonly align: Alignment
  readonly recordedRecords: number
  readonly replayRecords: number
  /** The listed ones, in the order of the findings. */
  readonly divergences: readonly Divergence[]
  /** All of them, also those that are not listed. */
  readonly divergenceCount: number
  readonly findings: readonly Finding[]
  readonly findingCount: number
  /** 0 to 1, in single precision. */
  readonly score: number
  /** How often each category occurred, by name. */
  readonly categories: { readonly [category: string]: number }
  readonly gaps: { readonly recorded: number; readonly replayed: number }
  readonly warnings: readonly Warning[]
  /** Differences that the comparison tolerates. They are counted nowhere else. */
  readonly tolerated?: number
  /** Clock reads that only one run made, if they are tolerated. */
  readonly clockReads?: readonly UnmatchedRead[]
  /** Whether calls and reads at another place count, in the comparison of a replay. */
  readonly isOrdered?: boolean
  /** Whether a call that is recorded as a fact counts as a call. */
  readonly countsCalls?: boolean
}
