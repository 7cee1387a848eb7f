/**
 * A replay with everything that belongs to it: its judge, the file of its second recording, its files, its
 * session, and the end of them. The branch of `openSession` for sessions whose outcomes come from a tape.
 */

import { label } from '../../base/index.ts'
import { useFiles } from '../../boundaries/files/files-of-session.ts'
import { closeUncapturedLayer, useUncapturedLayer } from '../../boundaries/files/uncaptured-layer.ts'
import { userFrame } from '../../boundaries/user-frame.ts'
import type { FidelityReport } from '../../fidelity/index.ts'
import { notLive, openWhenLive } from '../../fidelity/sentences.ts'
import { monotonicMs } from '../../real/clock.ts'
import type { Scrubbed, Scrubber } from '../../scrub/index.ts'
import type { SealFacts, TapeHeader } from '../../tape/index.ts'
import { type LeftTapeFiles, useLeftTapeFiles } from '../files/left-tape-files.ts'
import { filesToReplay, recordedHeader } from '../files/places.ts'
import type { MatchRules } from '../keys/request-key.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { createJudge } from '../verdict/judge.ts'
import { type ReplayEnd, replayFacts } from '../verdict/replay-facts.ts'
import type { ReplayMode, ReplayReport } from '../verdict/verdict.ts'
import { useModelMap } from './model-map.ts'
import type { ReplayOptions, ReplayParts, ReplaySession, TravelOptions } from './replay-contract.ts'
import { createReplaySession } from './replay-session.ts'
import { openSecondTape } from './second-tape.ts'

const FILESYSTEM = label('filesystem')

export type ReplayingOptions = {
  readonly from: 'tape'
  readonly tape: string
  /** Of this tape, or of a part of it. */
  readonly index: TapeIndex
  readonly mode?: ReplayMode | undefined
  readonly match?: MatchRules | undefined
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed?: number | undefined
  /** A file for the second recording. Without it, it is compared only. */
  readonly emit?: string | null | undefined
  /** Replaces a second recording that is there. */
  readonly force?: boolean | undefined
  /** A debugger. */
  readonly watch?: ReplayOptions['watch'] | null
  /** The run leaves its tape on purpose. */
  readonly travel?: TravelOptions | null
  /** Fields of the header of the second recording that replace the recorded ones. */
  readonly header?: Partial<TapeHeader> | undefined
  readonly onLive?: ReplayOptions['onLive'] | undefined
  readonly onRecord?: ReplayOptions['onRecord'] | undefined
  /** Ends the process where a refusal ends the run. */
  readonly endRun?: (() => void) | undefined
  /** The session is active for part of a process. */
  readonly isPart?: boolean
  /** Replaces parts of the session. Tests use it to corrupt what is delivered. */
  readonly replaceParts?: ((parts: ReplayParts) => ReplayParts) | undefined
}

export type Replaying = Disposable &
  Omit<ReplaySession, 'finish'> & {
    readonly scrubber: Scrubber
    /** Ends the session and judges the run. `end` is called when nothing more is recorded. */
    close(end: () => ReplayedEnd): ReplayReport
    /** After `close`: the comparison of both tapes; null if they have the same lines. */
    compared(): FidelityReport | null
  }

/** How the run ended. A part of a process has no exit code and no output of its own. */
type ReplayedEnd = Omit<ReplayEnd, 'replayMs'> & {
  /** What the caller found that leaves the verdict open. */
  readonly doubts: readonly string[]
  readonly seal: Scrubbed<SealFacts>
}

export function openReplaying(options: ReplayingOptions, scrubber: Scrubber): Replaying {
  const startedAt = monotonicMs()
  const { tape, index, mode = 'semantic', match, speed, watch = null, replaceParts } = options
  const emit = options.emit ?? undefined
  const written =
    emit === undefined
      ? null
      : openSecondTape(emit, { ...index.header, ...options.header }, scrubber, options.force)
  const judge = createJudge({ tape, index, mode, headers: match?.headers ?? [], emitted: emit, userFrame })
  let files: LeftTapeFiles | null = null
  const { finish, ...replay } = createReplaySession({
    path: tape,
    index,
    scrubber,
    watcher: judge.watcher,
    ...(speed === undefined ? {} : { speed }),
    ...(written === null ? {} : { emit: written }),
    ...(watch === null ? {} : { watch }),
    ...(options.travel == null ? {} : { travel: options.travel }),
    onLive: () => {
      files?.goLive()
      options.onLive?.()
    },
    ...(options.onRecord === undefined ? {} : { onRecord: options.onRecord }),
    ...(options.endRun === undefined ? {} : { endRun: options.endRun }),
    ...(match === undefined ? {} : { match }),
    ...(replaceParts === undefined ? {} : { replaceParts }),
  })
  useFiles(replay.session, filesToReplay(index.header, index.places, index.isForeign))
  useUncapturedLayer(replay.session, {
    isReal: () => options.travel?.files.type === 'disk' && replay.session.isLive(FILESYSTEM),
    ownsProcess: options.isPart !== true,
  })
  if (options.travel != null) useModelMap(replay.session, options.travel.models)
  files = leftFiles(options, replay, scrubber)
  return {
    ...replay,
    scrubber,
    close(end) {
      const replayMs = Math.round(monotonicMs() - startedAt)
      const state = finish(mode === 'byte_identical')
      files?.end()
      closeUncapturedLayer(replay.session)
      const { seal, doubts, ...how } = end()
      const facts = replayFacts(index, state, [...state.doubts, ...doubts], { ...how, replayMs })
      const { places } = index.seal ?? {}
      written?.close(
        places === undefined ? seal : { ...seal, places: scrubber.value(index.places, 'sent', 'seal') },
      )
      const { exit = null, stdout = null, stderr = null } = seal
      return judge.report(facts, { exit, stdout, stderr })
    },
    compared: judge.compared,
    [Symbol.dispose]: () => written?.[Symbol.dispose](),
  }
}

/** The files of a run that may go live. */
function leftFiles(
  { tape, index, travel }: ReplayingOptions,
  { session, leaving }: Pick<ReplaySession, 'session' | 'leaving'>,
  scrubber: Scrubber,
): LeftTapeFiles | null {
  if (leaving === null || travel == null || travel.plan.live.size === 0) return null
  const { live } = travel.plan
  return useLeftTapeFiles({
    session,
    tape,
    at: travel.plan.at,
    header: recordedHeader(index.header, index.places),
    readsDisk: live.has('files') || live.has('all'),
    into: travel.files,
    recorder: leaving.recorder,
    scrubber,
    isOnTape: leaving.isOnTape,
    refused: (path, why) =>
      leaving.refused((why === 'open' ? openWhenLive : notLive)('filesystem', path, travel.plan.at)),
  })
}
