/**
 * A replay of part of a process. It has no exit code and no output of its own, and the program's modules are
 * not known: the verdict depends on the rest.
 */
import { outside } from '../../boundaries/context.ts'
import { vouchedFor } from '../../boundaries/process/addons.ts'
import { mayRegisterHooks } from '../../boundaries/process/hook-threads.ts'
import type { ScrubOptions } from '../../scrub/index.ts'
import type { Replaying } from '../compose/open-replaying.ts'
import { openSession } from '../compose/open-session.ts'
import type { ReplayOptions, ReplayParts } from '../compose/replay-contract.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { recordedHooks } from '../tape-index/recorded-hooks.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import type { TapeSelection } from '../tape-index/tape-selection.ts'
import { withUnreplayed } from '../verdict/unreplayed-children.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { refuseUnlessWhole } from '../verdict/whole-tape.ts'

export type ReplayedPart = {
  readonly path: string
  /** Everything on the tape by default. */
  readonly selection?: TapeSelection
  readonly match: MatchRules | undefined
  readonly scrub: Pick<ScrubOptions, 'rules'> | undefined
  readonly replaceParts?: ((parts: ReplayParts) => ReplayParts) | undefined
  readonly mode?: ReplayMode | undefined
  readonly onRecord?: ReplayOptions['onRecord']
  /** A file for the second recording. Without it nothing is written. */
  readonly emit?: string
}

export type OpenReplay = Pick<Replaying, 'session' | 'idleMs' | 'failStuckWaits' | 'firstDivergence'> &
  Disposable & {
    /** Called once, at the end of the run. */
    judge(): ReplayReport
  }

/** Throws for a tape that is not whole. */
export function openReplay({ path, selection, ...options }: ReplayedPart): OpenReplay {
  const index = indexTape(path, selection)
  refuseUnlessWhole(path, index.findings)
  const replay = openSession({ from: 'tape', tape: path, index, isPart: true, ...options })
  // The addons that the recording allowed.
  vouchedFor.set(replay.session, { names: new Set(index.header.addons ?? []) })
  mayRegisterHooks.set(replay.session, recordedHooks(index))
  return {
    ...replay,
    judge() {
      replay.finalize()
      const report = replay.close(() => ({ code: null, changed: [], strict: false, doubts: [], seal: {} }))
      return outside(() => withUnreplayed(path, report))
    },
  }
}
