/**
 * A replay of part of a process, opened: the tape is read, its session made, and what the run does written down, so that `judge` can compare it. A part of a
 * process has no exit code and no output of its own, and which modules are the program's is not known: the verdict rests on the rest.
 */
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { monotonicMs } from '../../real/clock.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type ScrubOptions } from '../../scrub/index.ts'
import { filesToReplay } from '../files/places.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { createReplaySession, type ReplaySession } from '../replay/replay-session.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import type { TapeSelection } from '../tape-index/tape-selection.ts'
import { type ReplayMode, type ReplayReport, replayReport } from '../verdict/verdict.ts'
import { comparedRun } from './compared-run.ts'

export type ReplayedPart = {
  readonly path: string
  /** Everything on the tape, unless said. */
  readonly selection?: TapeSelection
  readonly match: MatchRules | undefined
  readonly scrub: Pick<ScrubOptions, 'rules'> | undefined
}

export type OpenReplay = Pick<ReplaySession, 'session' | 'idleMs' | 'endWaits'> &
  Disposable & {
    /** Once, at the end of the run. */
    judge(mode?: ReplayMode): Promise<ReplayReport>
  }

export function openReplay({ path, selection, match, scrub }: ReplayedPart): OpenReplay {
  const startedAt = monotonicMs()
  const index = indexTape(path, selection)
  const scrubber = createScrubber({ env: { ...realEnv }, ...scrub })
  const compared = comparedRun(path, index, scrubber)
  const { session, state, idleMs, endWaits } = createReplaySession({
    path,
    index,
    scrubber,
    emit: compared.emit,
    ...(match === undefined ? {} : { match }),
  })
  useFiles(session, filesToReplay(index.header))
  return {
    session,
    idleMs,
    endWaits,
    async judge(mode = 'semantic') {
      const replayMs = Math.round(monotonicMs() - startedAt)
      const end = { code: null, signal: null, stdout: null, stderr: null, changed: [], strict: false, replayMs }
      return await compared.judge(replayReport(path, index, state(), end, mode), mode)
    },
    [Symbol.dispose]: () => compared[Symbol.dispose](),
  }
}
