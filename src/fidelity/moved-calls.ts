/**
 * Calls that both runs make, at another place in the order. Two findings, of a call too few and of one too
 * many, become one finding that names both places.
 *
 * Decision 0365.
 */
import type { DivergenceFacts, Finding, Place } from './divergence.ts'
import { withSentence } from './sentences.ts'

export type MovedPlaces = {
  readonly recorded: Place
  readonly replayed: Place
  /** The last record that both runs have, before the call when recorded and before the call now. */
  readonly lastMatch: Place | null
  readonly now: Place | null
}

export type Moved = { readonly missing: Finding; readonly extra: Finding }

export function movedFacts({ recorded, lastMatch, now }: MovedPlaces): DivergenceFacts {
  const [expected, actual] = [afterOf(lastMatch), afterOf(now)]
  return {
    seq: recorded.seq,
    category: 'out_of_order',
    code: 'order',
    path: null,
    expected,
    actual,
    payload: null,
    words: { form: 'moved', seq: recorded.seq, what: callOf(recorded), was: expected, now: actual },
  }
}

/** One finding for both. */
export function movedFinding({ missing, extra }: Moved): Finding {
  const { recorded, lastMatch } = missing
  const { replayed } = extra
  if (recorded === null || replayed === null) throw new Error('a moved call has two places')
  const facts = movedFacts({ recorded, replayed, lastMatch, now: extra.lastMatch })
  return { recorded, replayed, lastMatch, divergences: [withSentence(facts, 0)] }
}

function afterOf(place: Place | null): string {
  return place === null ? 'first' : `after record ${place.seq} (${callOf(place)})`
}

/** A call by its key, a read by its summary. */
function callOf({ summary, key, kind }: Place): string {
  return kind === 'effect_start' && key !== undefined ? key : summary
}
