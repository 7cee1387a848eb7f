/**
 * The verdict on a replay: `faithful`, `diverged`, or `unverified` when nothing was found against it but the tape itself cannot vouch for the run
 * (gaps, no seal, torn). Made from what the session kept and from how the process ended. Reads the tape again if the program did not start
 * every recorded effect.
 */
import { type ContentHash, fieldsOf, isObject, type Json, numberOf, textOf } from '../../base/index.ts'
import { startedAs } from '../../real/program.ts'
import { type Gap, kindName, readTapeEvents } from '../../tape/index.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import { unknownBoundaries } from '../records/completeness.ts'
import { summaryOf } from '../records/delivered-kinds.ts'
import type { ReplayState } from '../replay/replay-session.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'

export type ReplayMode = 'byte_identical' | 'semantic' | 'outcome' | 'phase_aware'

export type ReplayReport = {
  readonly verdict: 'faithful' | 'diverged' | 'unverified'
  readonly divergences: readonly ReplayDivergence[]
  /** Records that the program never asked for. */
  readonly unused: readonly { readonly seq: number; readonly kind: string; readonly summary: string }[]
  readonly gaps: readonly Gap[]
  /** What could have let something in unseen, and need not have; counted with `--strict`. */
  readonly notes: readonly Gap[]
  readonly scrubbed_inputs: number
  readonly records: number
  readonly exit_code: number | null
  readonly recorded_ms: number
  readonly replay_ms: number
  /** Why the verdict is not better, in words. */
  readonly reasons: readonly string[]
  readonly clock_reads: { readonly extra: number; readonly missing: number }
  /** What the fidelity oracle counts between the tape of this run and the recorded one, if it found something. */
  readonly fidelity?: { readonly findings: number; readonly score: number }
}

/** What a program wrote to one of its streams, scrubbed. */
export type OutputFacts = { readonly bytes: number; readonly hash: ContentHash }

export type ReplayEnd = {
  readonly code: number | null
  readonly signal: string | null
  /** Null where a part of a process was replayed: the streams are not its own. */
  readonly stdout: OutputFacts | null
  readonly stderr: OutputFacts | null
  readonly replayMs: number
  /** Modules of the program that are not what they were. */
  readonly changed: readonly string[]
  /** Whether a note counts as a gap. */
  readonly strict: boolean
}

const MAX_UNUSED = 100

export function replayReport(path: string, index: TapeIndex, state: ReplayState, end: ReplayEnd, mode: ReplayMode): ReplayReport {
  const unused = [...unusedEffects(path, index), ...unusedAnswers(state), ...unusedSpawns(state)].slice(0, MAX_UNUSED)
  const divergences = [...state.divergences, ...endDivergences(index, state, end), ...strictDivergences(state, mode)]
  const doubts = [
    ...(index.seal === null ? ['the tape has no seal: its end is missing'] : []),
    ...(index.torn ? ['the tape is damaged'] : []),
    ...(index.gaps.length === 0
      ? unknownBoundaries(index.seal?.boundaries ?? null).map((name) => `what crossed the boundary ${name} is unknown`)
      : []),
    ...(index.gaps.length > 0 ? [`${index.gaps.length} gap(s): something crossed unrecorded`] : []),
    ...state.doubts,
    ...(end.strict ? index.notes.map(({ reason }) => reason) : []),
    ...(end.changed.length > 0 ? [`the program has changed: ${listed(end.changed)}`] : []),
  ]
  const verdict = isDiverged(divergences, unused) ? 'diverged' : doubts.length > 0 ? 'unverified' : 'faithful'
  return {
    verdict,
    divergences,
    unused,
    gaps: index.gaps,
    notes: index.notes,
    scrubbed_inputs: index.scrubbedInputs,
    records: index.records,
    exit_code: end.code,
    recorded_ms: index.recordedMs,
    replay_ms: end.replayMs,
    reasons: verdict === 'diverged' ? [...doubts, ...otherNode(index)] : doubts,
    clock_reads: { extra: state.extraClockReads, missing: state.missingClockReads },
  }
}

/** Once the program has been refused what was a gap, everything that follows may be due to that: from there on nothing can be said. */
function isDiverged(divergences: readonly ReplayDivergence[], unused: ReplayReport['unused']): boolean {
  const gapAt = divergences.findIndex(({ category }) => category === 'gap')
  return gapAt < 0 ? divergences.length > 0 || unused.length > 0 : gapAt > 0
}

const MAX_NAMED = 3

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Another Node need not do the same things in the same order. */
function otherNode({ header }: TapeIndex): string[] {
  if (header.node === undefined || header.node === startedAs.version) return []
  return [`recorded on Node ${header.node}, replayed on ${startedAs.version}`]
}

/** Effects on the tape that the program never started. */
function unusedEffects(path: string, index: TapeIndex): ReplayReport['unused'] {
  const unused: { seq: number; kind: string; summary: string }[] = []
  if (index.isUsedUp()) return unused
  const isSelected = index.selection()
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record' || !isSelected(event.record) || event.record.kind.kind !== 'effect_start' || index.isTaken(event.record.kind.id))
      continue
    unused.push({ seq: event.record.seq, kind: kindName(event.record.kind), summary: event.record.kind.key })
    if (unused.length >= MAX_UNUSED) break
  }
  return unused
}

/** Answers on the tape to calls that the program did not make. A tape that was not played to its end has more of them. */
function unusedAnswers(state: ReplayState): ReplayReport['unused'] {
  return state.answersLeft.map(({ seq, kind }) => ({ seq, kind: kindName(kind), summary: kind.key }))
}

function unusedSpawns(state: ReplayState): ReplayReport['unused'] {
  return state.foreignLeft.map(({ seq, kind }) => ({ seq, kind: kindName(kind), summary: [kind.program, ...kind.args].join(' ') }))
}

function endDivergences(index: TapeIndex, state: ReplayState, end: ReplayEnd): ReplayDivergence[] {
  const found: ReplayDivergence[] = []
  for (const delivery of state.skipped) {
    const message = `Record ${delivery.seq} was passed over: the tape has ${summaryOf(delivery)}, and the program did not ask for it`
    found.push({ seq: delivery.seq, category: 'not_asked_for', message, expected: summaryOf(delivery), actual: null, path: null })
  }
  if (state.next !== null) {
    const message = `The program ended before record ${state.next.seq}: the tape goes on with ${summaryOf(state.next)}`
    found.push({
      seq: state.next.seq,
      category: 'ended_early',
      message,
      expected: summaryOf(state.next),
      actual: 'the end of the program',
      path: null,
    })
  }
  if (state.missingRandomReads > 0) {
    const message = `${state.missingRandomReads} random value(s) on the tape were not asked for`
    found.push({ seq: null, category: 'random_missing', message, expected: String(state.missingRandomReads), actual: '0', path: null })
  }
  const { seal } = index
  if (seal === null) return found
  const exit = endOf(seal.exit)
  if (exit !== null && (exit.code !== end.code || exit.signal !== end.signal)) {
    const message = `exit diverged: recorded=${exitText(exit)} replay=${exitText(end)}`
    found.push({ seq: null, category: 'exit_code', message, expected: exitText(exit), actual: exitText(end), path: null })
  }
  for (const name of ['stdout', 'stderr'] as const) {
    const recorded = outputOf(seal[name])
    const now = end[name]
    if (recorded === null || now === null || (recorded.hash === now.hash && recorded.bytes === now.bytes)) continue
    const message = `${name} diverged: recorded=${recorded.bytes} bytes replay=${now.bytes} bytes`
    found.push({ seq: null, category: name, message, expected: recorded.hash, actual: now.hash, path: null })
  }
  return found
}

/** Extra and missing clock reads are forgiven, and counted, unless every byte must be equal. */
function strictDivergences(state: ReplayState, mode: ReplayMode): ReplayDivergence[] {
  if (mode !== 'byte_identical') return []
  const found: ReplayDivergence[] = []
  const add = (category: 'clock_extra' | 'clock_missing', count: number, words: string): void => {
    if (count > 0) found.push({ seq: null, category, message: `${count} clock read(s) ${words}`, expected: null, actual: String(count), path: null })
  }
  add('clock_extra', state.extraClockReads, 'that are not on the tape')
  add('clock_missing', state.missingClockReads, 'on the tape that were not made')
  return found
}

/** How the seal says that the process ended. */
export function endOf(exit: Json): { readonly code: number | null; readonly signal: string | null } | null {
  return isObject(exit) ? { code: numberOf(exit.code), signal: textOf(exit.signal) } : null
}

function outputOf(output: Json): { readonly bytes: number; readonly hash: string } | null {
  const { bytes, hash } = fieldsOf(output)
  return typeof bytes === 'number' && typeof hash === 'string' ? { bytes, hash } : null
}

function exitText(end: { readonly code: number | null; readonly signal: string | null }): string {
  return end.signal ?? String(end.code)
}
