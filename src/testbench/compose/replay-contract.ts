/** What a replaying session is made from, and what it returns, for our own tapes and for foreign ones. */
import type { Session } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeWriter } from '../../tape/index.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'
import type { MatchRules } from '../keys/request-key.ts'
import type { CallFamily, EffectFamily, Tools } from '../session/family.ts'
import type { SessionWatch } from '../session/watch.ts'
import type { SecondRecordingWatcher } from '../sources/second-recording.ts'
import type { TapeSource, TapeState } from '../sources/tape-source.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'

export type ReplayOptions = {
  readonly path: string
  readonly index: TapeIndex
  readonly scrubber: Scrubber
  readonly match?: MatchRules
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed?: number
  /** Compares the second recording while it is made. */
  readonly watcher?: SecondRecordingWatcher
  /** Where the second recording is written; without it, it is compared only. */
  readonly emit?: TapeWriter
  /** Replaces parts of the session. Tests use it to corrupt what is delivered. */
  readonly replaceParts?: (parts: ReplayParts) => ReplayParts
  /** A debugger. */
  readonly watch?: SessionWatch
}

export type ReplayParts = {
  readonly families: readonly EffectFamily[]
  readonly calls: (tools: Tools) => CallFamily
  readonly source: (tape: TapeSource) => TapeSource
}

type ReplayState = TapeState & {
  /** What the tape cannot prove. */
  readonly doubts: readonly string[]
}

export type ReplaySession = Pick<TapeSource, 'idleMs' | 'isAtEnd' | 'failStuckWaits'> & {
  readonly session: Session
  /** The program has ended: what follows has the phase `runtime_finalize`. */
  finalize(): void
  /**
   * Ends the session: what is left of the tape is recorded as divergences, and nothing after that.
   * `isStrict`: clock reads count.
   */
  finish(isStrict?: boolean): ReplayState
  /** Where the run left its tape, so far. */
  firstDivergence(): ReplayDivergence | null
}
