/** What an aligner gives out, and how it is driven. */
import type { Entry } from '../comparable.ts'
import type { RecordComparer, Sameness } from '../record-comparer.ts'
import type { Feed, Side } from './feed.ts'

export type Placement = {
  /** Two records that belong together. */
  pair(recorded: Entry, replayed: Entry, sameness: Sameness): void
  /** A record that only the recorded tape has. */
  missing(recorded: Entry): void
  /** A record that only the replayed tape has. */
  extra(replayed: Entry): void
}

/**
 * Yields the side of which it needs one more entry; ends when both feeds have ended and everything is placed.
 */
export type Aligner = (
  recorded: Feed,
  replayed: Feed,
  comparer: RecordComparer,
  place: Placement,
) => Generator<Side, void, void>
