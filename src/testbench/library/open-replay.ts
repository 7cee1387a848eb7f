/**
 * A replay of part of a process, opened: the tape is read, its session made, and what the run does written down, so that `judge` can compare it. A part of a
 * process has no exit code and no output of its own, and which modules are the program's is not known: the verdict rests on the rest.
 */
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { monotonicMs } from '../../real/clock.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber, type ScrubOptions } from '../../scrub/index.ts'
import { createReplaySession, type ReplayParts, type ReplaySession } from '../compose/replay-session.ts'
import { filesToReplay } from '../files/places.ts'
import type { MatchRules } from '../keys/request-key.ts'
import { indexTape } from '../tape-index/tape-index.ts'
import type { TapeSelection } from '../tape-index/tape-selection.ts'
import { judgeReplay } from '../verdict/judge.ts'
import { replayFacts } from '../verdict/replay-facts.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { temporarySecondTape } from './temporary-second-tape.ts'

export type ReplayedPart = {
  readonly path: string
  /** Everything on the tape, unless said. */
  readonly selection?: TapeSelection
  readonly match: MatchRules | undefined
  readonly scrub: Pick<ScrubOptions, 'rules'> | undefined
  readonly replaceParts?: ((parts: ReplayParts) => ReplayParts) | undefined
}

export type OpenReplay = Pick<ReplaySession, 'session' | 'idleMs' | 'failStuckWaits' | 'firstDivergence'> &
  Disposable & {
    /** The file of the second recording, until it is disposed. */
    readonly second: string
    /** Once, at the end of the run. */
    judge(mode?: ReplayMode): Promise<ReplayReport>
  }

export function openReplay({ path, selection, match, scrub, replaceParts }: ReplayedPart): OpenReplay {
  const startedAt = monotonicMs()
  const index = indexTape(path, selection)
  const scrubber = createScrubber({ env: { ...realEnv }, ...scrub })
  const second = temporarySecondTape(index, scrubber)
  const { session, finish, idleMs, failStuckWaits, firstDivergence } = createReplaySession({
    path,
    index,
    scrubber,
    emit: second.writer,
    ...(match === undefined ? {} : { match }),
    ...(replaceParts === undefined ? {} : { replaceParts }),
  })
  useFiles(session, filesToReplay(index.header))
  return {
    session,
    idleMs,
    failStuckWaits,
    firstDivergence,
    second: second.writer.path,
    async judge(mode = 'semantic') {
      const replayMs = Math.round(monotonicMs() - startedAt)
      const state = finish(mode === 'byte_identical')
      second.writer.close({})
      const facts = replayFacts(index, state, state.doubts, { code: null, replayMs, changed: [], strict: false })
      const headers = match?.headers ?? []
      return judgeReplay(facts, path, second.writer.path, { mode, headers, ...(index.isPart ? { selection: index.selection } : {}) })
    },
    [Symbol.dispose]: () => second[Symbol.dispose](),
  }
}
