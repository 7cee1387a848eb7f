/**
 * What a journal is, whatever holds it: an append-only, ordered log of the events of one session. Sequence
 * numbers are per session, from 0, given out by the journal, contiguous. Many writers, in many processes, may
 * hold the same session open.
 *
 * Decision 0050.
 */

import type { Primitive } from './fields.ts'
import type { SessionEvent } from './kinds.ts'

export type JournalEntry = {
  readonly seq: number
  readonly event: SessionEvent
  /** When it was written (ISO 8601), if the journal stores that. */
  readonly at?: string
}

export type ReadOptions = {
  /** Inclusive; 0 if left out. */
  readonly fromSeq?: number
  /** By kind, as upstream filters: an embedded primitive is not checked. */
  readonly primitive?: Primitive
}

export type FollowOptions = ReadOptions & {
  /** Ends the following; the iterator then returns. */
  readonly signal?: AbortSignal
}

export type AppendOptions = {
  /**
   * Makes the append idempotent: an id that the session already holds gives the seq it got the first time,
   * and writes nothing.
   */
  readonly eventId?: string
}

export type Journal = AsyncDisposable & {
  readonly session: string
  /** Gives the event's seq once it is as durable as the journal was opened to be. */
  append(event: unknown, options?: AppendOptions): Promise<number>
  /** As many `append`s in one batch: contiguous seqs, all or nothing. */
  appendAll(events: readonly unknown[]): Promise<readonly number[]>
  read(options?: ReadOptions): AsyncIterable<JournalEntry>
  /** -1 if the session is empty. */
  latestSeq(): Promise<number>
  /** What is there, then what comes, until the signal fires. */
  follow(options?: FollowOptions): AsyncIterable<JournalEntry>
  /** Waits for appends under way, then lets go of files or connections. */
  close(): Promise<void>
}
