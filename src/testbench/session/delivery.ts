/**
 * One outcome on its way to the program. In a recording it is real, in a replay it comes from a tape; the
 * effect's code writes it to the tape in the same way in both.
 */
import type { Label } from '../../base/index.ts'
import type { Answer, Outcome } from '../../boundaries/session.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import type { HeaderPairs, TapeRecord } from '../../tape/index.ts'

export type Delivery = {
  readonly outcome: Outcome
  /** Present if the outcome comes from a tape. */
  readonly recorded?: Recorded
  /** Delivered in the turn of the delivery before it. */
  readonly together?: boolean
  /** What the program receives instead of `outcome`: the same message with the ids of this run. */
  readonly given?: readonly Outcome[]
}

/**
 * What the recorder measured or decided and a replay cannot observe. Everything else is encoded from the
 * outcome.
 */
export type Recorded = {
  /** The time of the record. */
  readonly at: RecordPlace
  /** The bytes belong to the next record of the stream: they are delivered separately and get no record. */
  readonly isPart?: true
  /** A further chunk of a record that several share. */
  readonly joins?: true
  /** Server-sent events in the bytes are written as JSON. */
  readonly asEvents?: true
  /**
   * Bytes of the stream that were written with a later record, and how many this one has: a placeholder may
   * be shorter than its secret.
   */
  readonly held?: { readonly bytes: number; readonly written: number }
  /** The content encoding of a body that is stored decoded. */
  readonly decoded?: Label
  /** The `content-length` on the tape, if the program receives another one. */
  readonly contentLength?: string
  /** Headers of a request with the signatures that the program gets. */
  readonly signed?: HeaderPairs
  readonly durationMs?: number
  /** Where the appended part of a file begins. */
  readonly from?: number
  /** Blanks that pad a read in which a secret was replaced by a shorter text. */
  readonly padding?: { readonly start: number; readonly length: number }
  /** Bytes that the record holds and that the program receives later, if there are any. */
  readonly ahead?: Uint8Array
  /** The stretch of an open file that the bytes belong to. */
  readonly stretch?: number
  /** The cassette of a terminal. */
  readonly cassette?: { readonly name: string; readonly manifestHash?: string }
}

/** Every record is one. */
export type RecordPlace = Pick<TapeRecord, 'seq' | 'phase' | 'virtualTimeMs' | 'monotonicMs' | 'scrubbed'>

/** The answer to a call that returns at once. */
export type GivenAnswer = {
  readonly answer: Answer
  /** What the program receives instead: the same content with keys that libraries can read. */
  readonly given?: Answer
  readonly recorded?: Recorded
  /** The scrubbed key of an effect; that of a call, if its answer comes from a tape. */
  readonly key?: ScrubbedText
  /** The tape has only Harn's record of the call, without a key. */
  readonly isForeign?: true
}
