/** What an aligner gives out, and how it is driven. */
import type { Entry, Scope } from '../comparable.ts'
import type { Strictness } from '../modes.ts'
import type { Feed, Side } from './feed.ts'

export type Placement = {
  /** Two records that belong together; `equal` if the comparison need not look at them again. */
  pair(recorded: Entry, replayed: Entry, equal: boolean): void
  /** A record that only the recorded tape has. */
  missing(recorded: Entry): void
  /** A record that only the replayed tape has. */
  extra(replayed: Entry): void
}

/** Yields the side of which it needs one more entry; ends when both feeds have ended and everything is placed. */
export type Aligner = (recorded: Feed, replayed: Feed, strictness: Strictness, scope: Scope, place: Placement) => Generator<Side, void, void>
