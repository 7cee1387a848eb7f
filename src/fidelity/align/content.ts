/**
 * Pairs records by content, so that a record put in, left out or changed is one finding and does not shift
 * the rest.
 *
 * Equal records are paired as they come, without being held. Where the streams part, it looks ahead, in this
 * order: for a few edits after which everything fits exactly, for more edits after which the content fits,
 * for landmarks in a long window; and if there is nothing in common, it pairs by position and goes on. Every
 * stage is bounded, so the whole is linear in the tapes.
 *
 * Symmetrical: exchanging the tapes gives the same pairs. For that the sides are put in an order of their own
 * (by their first keys) before the search, where ties have to be broken.
 *
 * Decision 0030.
 */
import type { Entry } from '../comparable.ts'
import type { RecordComparer } from '../record-comparer.ts'
import type { Aligner, Placement } from './aligner.ts'
import { editScript, LEFT, RIGHT, type Step } from './edit-script.ts'
import type { Feed, Side } from './feed.ts'
import { pairCost } from './pair-cost.ts'
import { findingsOf } from './rehearsal.ts'
import { scriptByAnchors } from './segments.ts'
import { findResync, type Lookahead, type Resync } from './wavefront.ts'

const MAX_EXACT_EDITS = 8
const MAX_EDITS = 64

export const alignByContent: Aligner = function* (recorded, replayed, comparer, place) {
  for (;;) {
    while (recorded.size === 0 && !recorded.ended) yield 'recorded'
    while (replayed.size === 0 && !replayed.ended) yield 'replayed'
    if (recorded.empty && replayed.empty) return
    if (recorded.empty) place.extra(replayed.take())
    else if (replayed.empty) place.missing(recorded.take())
    else {
      const sameness = comparer.exact(recorded.at(0), replayed.at(0))
      if (sameness === 'different') yield* passDifference(recorded, replayed, comparer, place)
      else place.pair(recorded.take(), replayed.take(), sameness)
    }
  }
}

function* passDifference(
  recorded: Feed,
  replayed: Feed,
  comparer: RecordComparer,
  place: Placement,
): Generator<Side, void, void> {
  if (
    comparer.sameContent(recorded.at(0), replayed.at(0)) &&
    (yield* onlyDrifts(recorded, replayed, comparer))
  ) {
    place.pair(recorded.take(), replayed.take(), 'different')
    return
  }
  const swapped = yield* comesFirst(replayed, recorded, comparer)
  const [left, right] = swapped ? [replayed, recorded] : [recorded, replayed]
  const script = yield* chooseScript(left, right, comparer)
  for (const step of script) {
    if (step === LEFT) placeUnmatched(left, place)
    else if (step === RIGHT) placeUnmatched(right, place)
    else place.pair(recorded.take(), replayed.take(), 'different')
  }
}

/** How far records are compared to find an order of the sides. */
const MAX_ORDERED = 1024

/**
 * Whether the first of two sides precedes the other in an order that does not depend on which run they
 * are from. Two records that look the same may still differ, by effects that have other numbers by now: then
 * those that follow decide.
 */
function* comesFirst(one: Feed, other: Feed, comparer: RecordComparer): Generator<Side, boolean, void> {
  for (let at = 0; at < MAX_ORDERED; at += 1) {
    yield* one.fill(at + 1)
    yield* other.fill(at + 1)
    if (one.size <= at || other.size <= at) return one.size < other.size
    const [a, b] = [comparer.orderKey(one.at(at)), comparer.orderKey(other.at(at))]
    if (a !== b) return a < b
  }
  return false
}

function placeUnmatched(feed: Feed, place: Placement): void {
  if (feed.side === 'recorded') place.missing(feed.take())
  else place.extra(feed.take())
}

/**
 * True unless leaving out one record of either side makes times and numbers fit: then that record is the
 * difference, and they are not.
 */
function* onlyDrifts(
  recorded: Feed,
  replayed: Feed,
  comparer: RecordComparer,
): Generator<Side, boolean, void> {
  yield* recorded.fill(2)
  yield* replayed.fill(2)
  const fits = (left: number, right: number): boolean =>
    recorded.size > left &&
    replayed.size > right &&
    comparer.exact(recorded.at(left), replayed.at(right)) !== 'different'
  return !fits(1, 0) && !fits(0, 1)
}

function* chooseScript(left: Feed, right: Feed, comparer: RecordComparer): Generator<Side, Step[], void> {
  const keys = { exact: new Map<string, number>(), content: new Map<string, number>() }
  const sides = ([left, right] as const).map((feed) => ({
    feed,
    exact: lookahead(feed, keys.exact, (entry) => comparer.exactKey(entry, feed.side)),
    content: lookahead(feed, keys.content, (entry) => comparer.contentKey(entry)),
  }))
  const [a, b] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const cost = pairCost(a, b)
  const scriptTo = (found: Resync): Step[] => editScript(found.left, found.right, found.edits, cost)
  const exact = yield* findResync(a.exact, b.exact, MAX_EXACT_EDITS)
  if (exact?.edits === 1) return scriptTo(exact)
  const content = yield* findResync(a.content, b.content, exact === null ? MAX_EDITS : exact.edits - 1)
  if (content === null)
    return exact === null ? yield* scriptByAnchors(a.content, b.content, cost) : scriptTo(exact)
  if (exact === null) return scriptTo(content)
  const leftEnd = Math.max(exact.left, content.left) + REHEARSED
  const [exactScript, contentScript] = [scriptTo(exact), scriptTo(content)]
  const findings = (script: readonly Step[]): number => findingsOf(script, left, right, comparer, leftEnd)
  return findings(contentScript) < findings(exactScript) ? contentScript : exactScript
}

/** How far beyond the difference two ways are compared, in records. */
const REHEARSED = 32

/** Numbers for the records of a feed: equal keys have equal numbers, on both sides that share `names`. */
function lookahead(feed: Feed, names: Map<string, number>, key: (entry: Entry) => string): Lookahead {
  const ids: number[] = []
  return {
    get size() {
      return feed.size
    },
    get complete() {
      return feed.ended
    },
    id(index) {
      for (let at = ids.length; at <= index; at += 1) {
        const name = key(feed.at(at))
        const known = names.get(name)
        if (known === undefined) names.set(name, names.size)
        ids.push(known ?? names.size - 1)
      }
      return ids[index] ?? -1
    },
    fill: (count) => feed.fill(count),
  }
}
