/**
 * The verdict on a replay, from one comparison: the recorded tape against the second recording. `faithful`,
 * `diverged`, or `unverified` when nothing was found against the run but the tape itself cannot prove it
 * (gaps, no seal, torn).
 */

import type { Divergence } from '../../fidelity/divergence.ts'
import type { FidelityReport, Finding } from '../../fidelity/index.ts'
import { applyReplayPolicy } from '../../fidelity/replay-policy.ts'
import { startedAs } from '../../real/program.ts'
import type { Gap } from '../../tape/index.ts'
import { divergencesOf, inOrderOfCause, isNoticed, isRunEnd } from './order-of-cause.ts'

export type ReplayMode = 'byte_identical' | 'semantic' | 'outcome' | 'phase_aware'

export type ReplayReport = {
  readonly verdict: 'faithful' | 'diverged' | 'unverified'
  /** The tape is of another system: it has no seal and no coverage, and was served from its records alone. */
  readonly foreign: boolean
  readonly sealed: boolean
  readonly divergences: readonly Divergence[]
  /** Records that the program never requested. */
  readonly unused: readonly { readonly seq: number; readonly kind: string; readonly summary: string }[]
  readonly gaps: readonly Gap[]
  /** What could have let something in unrecorded, and need not have; counted with `--strict`. */
  readonly notes: readonly Gap[]
  readonly scrubbed_inputs: number
  readonly records: number
  /** Of a whole process: what Node's permission model denied to it. */
  readonly walls?: Readonly<Record<'files' | 'children' | 'workers' | 'addons' | 'network', boolean>>
  readonly exit_code: number | null
  readonly recorded_ms: number
  readonly replay_ms: number
  /** Why the verdict is not better. */
  readonly reasons: readonly string[]
  readonly clock_reads: { readonly extra: number; readonly missing: number }
  /** What the comparison counts between the two recordings, if it found something. */
  readonly fidelity?: { readonly findings: number; readonly score: number }
  /** The tapes of Node children, which were stand-ins. Left out if there are none. */
  readonly unreplayed?: {
    /** By their names in the tree. */
    readonly tapes: readonly string[]
    readonly model_calls: number
    /** Replays them. */
    readonly command: string
  }
}

/** What is known of a run besides its second recording. */
export type ReplayFacts = {
  readonly isForeign: boolean
  readonly isSealed: boolean
  readonly gaps: readonly Gap[]
  readonly notes: readonly Gap[]
  readonly scrubbedInputs: number
  readonly records: number
  readonly exitCode: number | null
  readonly recordedMs: number
  readonly replayMs: number
  readonly clockReads: ReplayReport['clock_reads']
  /** What the tape cannot prove. */
  readonly doubts: readonly string[]
  /** The Node that recorded the tape. */
  readonly node: string | null
}

const MAX_UNUSED = 100

/** `compared` is null if the second recording has the same bytes as the recorded tape. */
export function verdictOf(
  known: ReplayFacts,
  compared: FidelityReport | null,
  headers: readonly string[] = [],
): ReplayReport {
  const judged = compared === null ? null : applyReplayPolicy(compared, headers)
  const findings = judged?.findings ?? []
  const unlisted = (judged?.findingCount ?? 0) - findings.length
  const facts =
    unlisted > 0
      ? {
          ...known,
          doubts: [...known.doubts, `${unlisted} more difference(s) of the runs were not examined`],
        }
      : known
  const unused = findings.flatMap(unusedOf).slice(0, MAX_UNUSED)
  const noticed = findings.filter(isNoticed).flatMap(divergencesOf)
  const others = findings.filter(
    (finding) => !isNoticed(finding) && !isRunEnd(finding) && unusedOf(finding).length === 0,
  )
  const divergences = inOrderOfCause(findings, others, {
    unused: unused[0]?.seq ?? null,
    gaps: facts.gaps.length,
    reads: compared?.clockReads ?? [],
  })
  const isPastEnd = isPastTornEnd(facts, noticed, unused.length + others.length)
  const isProven = facts.doubts.length === 0
  const verdict = verdictFrom(isDiverged(divergences, unused) && !isPastEnd, isProven)
  return {
    verdict,
    foreign: facts.isForeign,
    sealed: facts.isSealed,
    divergences,
    unused,
    gaps: facts.gaps,
    notes: facts.notes,
    scrubbed_inputs: facts.scrubbedInputs,
    records: facts.records,
    exit_code: facts.exitCode,
    recorded_ms: facts.recordedMs,
    replay_ms: facts.replayMs,
    reasons: verdict === 'diverged' ? [...facts.doubts, ...otherNode(facts.node)] : facts.doubts,
    clock_reads: facts.clockReads,
    ...(judged === null || findings.length === 0
      ? {}
      : { fidelity: { findings: judged.findingCount, score: judged.score } }),
  }
}

function verdictFrom(diverged: boolean, isProven: boolean): ReplayReport['verdict'] {
  if (diverged) return 'diverged'
  return isProven ? 'faithful' : 'unverified'
}

/**
 * The process was killed while it was recorded, and the replay has used all that it left: what the program asks for
 * after that cannot be compared. `others` counts the findings about records of the tape.
 */
function isPastTornEnd(
  { isSealed, isForeign }: ReplayFacts,
  noticed: readonly Divergence[],
  others: number,
): boolean {
  const isCut = !isSealed && !isForeign && others === 0
  return isCut && noticed.length > 0 && noticed.every(({ expected }) => expected === null)
}

/** A call on the tape that the program did not make. */
function unusedOf({ recorded, replayed }: Finding): ReplayReport['unused'] {
  if (recorded === null || recorded.key === undefined || recorded.key === replayed?.key) return []
  return [{ seq: recorded.seq, kind: recorded.kind, summary: recorded.key }]
}

/**
 * After a refusal of what was a gap, every later difference may follow from it: nothing after it counts.
 */
function isDiverged(divergences: readonly Divergence[], unused: ReplayReport['unused']): boolean {
  const gapAt = divergences.findIndex(({ category }) => category === 'gap')
  return gapAt < 0 ? divergences.length > 0 || unused.length > 0 : gapAt > 0
}

/** Another Node need not do the same things in the same order. */
function otherNode(node: string | null): string[] {
  if (node === null || node === startedAs.version) return []
  return [`recorded on Node ${node}, replayed on ${startedAs.version}`]
}
