/**
 * A replay of part of a process. It has no exit code and no output of its own, and which modules are the
 * program's is not known: the verdict rests on the rest.
 */
import type { ScrubOptions } from '../../scrub/index.ts'
import type { Replaying } from '../compose/open-replaying.ts'
import { openSession } from '../compose/open-session.ts'
import type { ReplayParts } from '../compose/replay-contract.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import type { TapeSelection } from '../tape-index/tape-selection.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { refuseUnlessWhole } from '../verdict/whole-tape.ts'

export type ReplayedPart = {
  readonly path: string
  /** Everything on the tape, unless said. */
  readonly selection?: TapeSelection
  readonly match: MatchRules | undefined
  readonly scrub: Pick<ScrubOptions, 'rules'> | undefined
  readonly replaceParts?: ((parts: ReplayParts) => ReplayParts) | undefined
  readonly mode?: ReplayMode | undefined
  /** A file for the second recording. Without it nothing is written. */
  readonly emit?: string
}

export type OpenReplay = Pick<Replaying, 'session' | 'idleMs' | 'failStuckWaits' | 'firstDivergence'> &
  Disposable & {
    /** Once, at the end of the run. */
    judge(): ReplayReport
  }

/** Refuses a tape that is not whole. */
export function openReplay({ path, selection, ...options }: ReplayedPart): OpenReplay {
  const index = indexTape(path, selection)
  refuseUnlessWhole(path, index.findings)
  const replay = openSession({ from: 'tape', tape: path, index, isPart: true, ...options })
  return {
    ...replay,
    judge() {
      replay.finalize()
      return replay.close(() => ({ code: null, changed: [], strict: false, doubts: [], seal: {} }))
    },
  }
}
