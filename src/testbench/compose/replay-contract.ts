/** What a replaying session is made from, and what it returns, for our own tapes and for foreign ones. */
import type { Session } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder, TapeWriter } from '../../tape/index.ts'
import type { FilesInto } from '../files/left-tape-files.ts'
import type { MatchRules } from '../keys/request-key.ts'
import type { Crossings } from '../records/completeness.ts'
import type { RecordPlace } from '../session/delivery.ts'
import type { CallFamily, EffectFamily, Tools } from '../session/family.ts'
import type { SessionWatch } from '../session/watch.ts'
import type { SecondRecordingWatcher } from '../sources/second-recording.ts'
import type { TapeSource, TapeState } from '../sources/tape-source-contract.ts'
import type { TravelPlan } from '../sources/travel.ts'
import type { Stage } from '../sources/travel-state.ts'
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
  /** The run leaves its tape on purpose. */
  readonly travel?: TravelOptions
  /** The run has become live. */
  readonly onLive?: () => void
  /** Called for each record of the tape that this run has made again. */
  readonly onRecord?: (place: RecordPlace) => void
  /** Ends the process where a refusal of the tape ends the run. */
  readonly endRun?: () => void
}

export type TravelOptions = {
  readonly plan: TravelPlan
  /** Variables that the program finds instead of its own once it is live. */
  readonly env: Readonly<Record<string, string>>
  /** Models that live calls are sent to, by those that the program names. */
  readonly models: Readonly<Record<string, string>>
  /** Where files go once it is live. */
  readonly files: FilesInto
}

type LeavingTape = {
  readonly recorder: TapeRecorder
  readonly isOnTape: () => boolean
  /** The program was refused this. */
  readonly refused: (divergence: Divergence) => void
}

/** What happened in a run that left its tape. */
export type TravelEvents = {
  readonly stage: Stage
  readonly refused: readonly Divergence[]
  readonly nearest: readonly { readonly asked: string; readonly seq: number }[]
  /** Secrets that the program needs and that the environment does not have. */
  readonly lacking: readonly string[]
  readonly crossings: Crossings
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
  /** Of a run that leaves its tape on purpose. */
  readonly travelled: (() => TravelEvents) | null
  /** What the files of such a run need. */
  readonly leaving: LeavingTape | null
  /** Where the run left its tape, so far. */
  firstDivergence(): Divergence | null
}
