/**
 * The divergences of a replay, the first cause first. What the session noticed explains the other differences
 * of records, so those are left out; but a clock that gave another value before that is a cause of it.
 *
 * Decision 0355.
 */
import type { UnmatchedRead } from '../../fidelity/clock-reads.ts'
import { type Divergence, valueText } from '../../fidelity/divergence.ts'
import type { Finding } from '../../fidelity/index.ts'
import { isReadOfAll, moreFindings, otherCall, withReadsBefore } from '../../fidelity/sentences.ts'
import { runEndDivergence } from './run-end.ts'

/** Findings beyond these are counted in the last divergence. */
const MAX_LISTED = 100

type Context = {
  /** The first recorded call that the program did not make; null if it made all of them. */
  readonly unused: number | null
  readonly gaps: number
  /** Clock reads that only one run made. */
  readonly reads: readonly UnmatchedRead[]
}

/** `others` are the findings that are neither noticed, nor unused calls, nor about the end of the runs. */
export function inOrderOfCause(
  findings: readonly Finding[],
  others: readonly Finding[],
  { unused, gaps, reads }: Context,
): Divergence[] {
  const noticed = findings.filter(isNoticed)
  const ends = findings.filter(isRunEnd).flatMap(runEndDivergence)
  // Where something crossed unrecorded, nothing else can be held against the run.
  const isExplained = noticed.length > 0 || unused !== null || gaps > 0
  if (!isExplained) return [...listed(others), ...ends]
  const [first] = noticed
  // What the session noticed explains why another call came; where it noticed nothing, the call is the cause.
  const found =
    noticed.length > 0 ? withCopiesLast(noticed.flatMap(divergencesOf)) : findings.flatMap(otherCalls)
  const isCause = (finding: Finding): boolean =>
    isOtherTime(finding) && isBefore(finding, first) && (finding.recorded?.seq ?? 0) < (unused ?? Infinity)
  const clock = gaps > 0 ? [] : others.filter(isCause)
  if (clock.length > 0) return [...listed(clock), ...found, ...ends]
  const [cause, ...rest] = found
  const before = first === undefined || gaps > 0 ? null : readsBefore(first, cause?.seq ?? null, reads)
  return cause === undefined || before === null
    ? [...found, ...ends]
    : [withReadsBefore(cause, before), ...rest, ...ends]
}

function withCopiesLast(divergences: readonly Divergence[]): Divergence[] {
  return [...divergences.filter((divergence) => !isReadOfAll(divergence)), ...divergences.filter(isReadOfAll)]
}

/** A call that was answered, although it is not quite the recorded one. */
function otherCalls({ recorded, replayed }: Finding): Divergence[] {
  if (recorded?.key === undefined || replayed?.key === undefined || recorded.key === replayed.key) return []
  return [otherCall(recorded.seq, recorded.key, replayed.key)]
}

export function isNoticed({ replayed, recorded }: Finding): boolean {
  return recorded === null && replayed?.kind === 'divergence'
}

export function isRunEnd({ recorded, replayed }: Finding): boolean {
  return recorded === null && replayed === null
}

export function divergencesOf({ divergences, recorded, replayed }: Finding): Divergence[] {
  const call = nameOf(recorded, replayed)
  return divergences.map((divergence) => ({
    ...divergence,
    // A call at another place is named in its own sentence.
    message: divergence.code === 'order' ? divergence.message : `${divergence.message}${call}`,
    expected: valueText(divergence.expected),
    actual: valueText(divergence.actual),
  }))
}

/**
 * What only this run has is named by its key, and an outcome by the key of its effect. What both runs have is
 * named by its record too. The sentence about a clock has its place already.
 */
function nameOf(recorded: Finding['recorded'], replayed: Finding['replayed']): string {
  if (recorded === null) {
    const name = replayed?.key ?? replayed?.effect
    return name === undefined ? '' : `: ${name}`
  }
  if (replayed === null) return recorded.effect === undefined ? '' : `: ${recorded.effect}`
  if (recorded.kind === 'clock_read') return ''
  return `, at record ${recorded.seq}: ${recorded.effect ?? recorded.key ?? recorded.summary}`
}

function isOtherTime({ recorded, divergences }: Finding): boolean {
  return (
    recorded?.kind === 'clock_read' && divergences.some(({ category }) => category.startsWith('clock_read'))
  )
}

/** By the numbers of the replay: what a session notices is a record of it. */
function isBefore({ replayed }: Finding, noticed: Finding | undefined): boolean {
  return noticed?.replayed == null || replayed === null || replayed.seq < noticed.replayed.seq
}

/** `recorded` is the record that the replay expected: what the tape has after it is no cause. */
function readsBefore({ replayed }: Finding, recorded: number | null, reads: readonly UnmatchedRead[]) {
  const end = replayed?.seq ?? Number.POSITIVE_INFINITY
  const before = reads.filter(
    ({ type, seq, after }) => after < end && (type === 'extra' || recorded === null || seq < recorded),
  )
  const [first] = before
  if (first === undefined) return null
  const missing = before.filter(({ type }) => type === 'missing').length
  return { missing, extra: before.length - missing, first }
}

function listed(findings: readonly Finding[]): Divergence[] {
  const listed = findings.slice(0, MAX_LISTED).flatMap(divergencesOf)
  const more = findings.length - MAX_LISTED
  if (more <= 0) return listed
  return [...listed, moreFindings(more)]
}
