/** What a source of outcomes from a tape needs, and what it offers in addition to a source. */
import type { TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { AnsweredAtOnce, Delivery } from '../records/delivered-kinds.ts'
import type { GivenAnswer } from '../session/delivery.ts'
import type { Description, EffectStart } from '../session/family.ts'
import type { OpenEffect, Source } from '../session/source.ts'
import type { ForeignSpawn } from '../tape-index/foreign-spawn.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { SecondRecording } from './second-recording.ts'
import type { TapeCursor } from './tape-cursor.ts'
import type { TravelState } from './travel-state.ts'

export type TapeSourceOptions = {
  readonly path: string
  readonly index: TapeIndex
  readonly cursor: TapeCursor
  readonly second: Pick<SecondRecording, 'setPlace'>
  readonly payloads: TapePayloads
  /** 0 does not wait; 1 waits as long as the run did, 2 half as long. */
  readonly speed?: number
  /** The position of the run; without it the run stays on the tape. */
  readonly travel?: TravelState
}

/** What is left of the tape when the program has ended. */
export type TapeState = {
  readonly extraClockReads: number
  readonly missingClockReads: number
  readonly missingRandomReads: number
  readonly extraFactReads: number
  /**
   * Outcomes that were skipped because the program never started their effect, and the first that was not
   * reached.
   */
  readonly skipped: readonly Delivery[]
  readonly next: Delivery | null
  /** Answers to calls that the program did not make. */
  readonly answersLeft: readonly AnsweredAtOnce[]
  /** Subprocesses of a foreign tape that the program did not start. */
  readonly foreignLeft: readonly ForeignSpawn[]
}

export type TapeSource = Source & {
  /** The answer on the tape, or null. Throws a refusal that is part of the run. */
  tryAnswer(call: Parameters<Source['answer']>[0]): GivenAnswer | null
  /** Whether an effect like this is left on the tape. */
  has(start: EffectStart, description: Description): boolean
  /** The open effect that the next delivery of the tape is for; null if it is not open. */
  nextEffect(): OpenEffect | null
  state(): TapeState
  /** A record that the cursor read past. */
  passed(record: TapeRecord): void
  /** Real milliseconds since the program last started or received something. */
  idleMs(): number
  /** Whether the tape has nothing more to deliver. */
  isAtEnd(): boolean
  /** For a session without an observable end: fails waits for data that the tape never delivers. */
  failStuckWaits(isAllTaped: boolean): Disposable
}
