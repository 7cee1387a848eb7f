/** What the judge of a replay needs in addition to the two tapes. */
import { unknownBoundaries } from '../records/completeness.ts'
import type { TapeState } from '../sources/tape-source-contract.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { ReplayFacts } from './verdict.ts'

export type ReplayEnd = {
  readonly code: number | null
  readonly replayMs: number
  /** Modules of the program that have changed. */
  readonly changed: readonly string[]
  /** Whether a note counts as a gap. */
  readonly strict: boolean
}

export function replayFacts(
  index: TapeIndex,
  state: TapeState,
  doubts: readonly string[],
  end: ReplayEnd,
): ReplayFacts {
  const { seal, torn, gaps, notes, isForeign } = index
  return {
    isForeign,
    isSealed: seal !== null,
    gaps,
    notes,
    scrubbedInputs: index.scrubbedInputs,
    records: index.records,
    exitCode: end.code,
    recordedMs: index.recordedMs,
    replayMs: end.replayMs,
    clockReads: { extra: state.extraClockReads, missing: state.missingClockReads },
    node: index.header.node ?? null,
    doubts: [
      ...(seal === null && !isForeign ? ['the tape has no seal: its end is missing'] : []),
      ...(torn ? ['the tape is damaged'] : []),
      ...(gaps.length === 0 && !isForeign
        ? unknownBoundaries(seal?.boundaries ?? null).map(
            (name) => `what crossed the boundary ${name} is unknown`,
          )
        : []),
      ...(gaps.length > 0 ? [`${gaps.length} gap(s): something crossed unrecorded`] : []),
      ...doubts,
      ...(end.strict ? notes.map(({ reason }) => reason) : []),
      ...(end.changed.length > 0 ? [`the program has changed: ${listed(end.changed)}`] : []),
    ],
  }
}

const MAX_NAMED = 3

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
