/**
 * Pairs records by content, so that a record put in, left out or changed is one finding and does not shift the rest.
 *
 * Equal records are paired as they come, without being held. Where the streams part, it looks ahead, in this order: for a few strict edits (times
 * included) in a strict comparison, for a few edits in content, for landmarks in a long window; and if there is nothing in common, it pairs by
 * position and goes on. Every stage is bounded, so the whole is linear in the tapes.
 *
 * Symmetrical: exchanging the tapes gives the same pairs. For that the sides are put in an order of their own (by their first keys) before the
 * search, where ties have to be broken.
 */
import { contentKey, type Entry, type Scope, sameContent, sameStrictly, strictKey } from '../comparable.ts'
import type { Strictness } from '../modes.ts'
import type { Aligner, Placement } from './aligner.ts'
import { editScript, LEFT, RIGHT, type Step } from './edit-script.ts'
import type { Feed, Side } from './feed.ts'
import { pairCost } from './pair-cost.ts'
import { scriptByAnchors } from './segments.ts'
import { findResync, type Lookahead, type Resync } from './wavefront.ts'

const MAX_STRICT_EDITS = 8
const MAX_EDITS = 64

export const alignByContent: Aligner = function* (recorded, replayed, strictness, scope, place) {
  const same = strictness === 'strict' ? sameStrictly : sameContent
  for (;;) {
    while (recorded.size === 0 && !recorded.ended) yield 'recorded'
    while (replayed.size === 0 && !replayed.ended) yield 'replayed'
    if (recorded.empty && replayed.empty) return
    if (recorded.empty) place.extra(replayed.take())
    else if (replayed.empty) place.missing(recorded.take())
    else if (same(recorded.at(0), replayed.at(0), scope)) place.pair(recorded.take(), replayed.take(), true)
    else yield* passDifference(recorded, replayed, strictness, scope, place)
  }
}

function* passDifference(recorded: Feed, replayed: Feed, strictness: Strictness, scope: Scope, place: Placement): Generator<Side, void, void> {
  if (strictness === 'strict' && sameContent(recorded.at(0), replayed.at(0), scope) && (yield* onlyDrifts(recorded, replayed, scope))) {
    place.pair(recorded.take(), replayed.take(), false)
    return
  }
  const swapped = strictKey(recorded.at(0).record, scope) > strictKey(replayed.at(0).record, scope)
  const [left, right] = swapped ? [replayed, recorded] : [recorded, replayed]
  const script = yield* chooseScript(left, right, strictness, scope)
  for (const step of script) {
    if (step === LEFT) alone(left, place)
    else if (step === RIGHT) alone(right, place)
    else place.pair(recorded.take(), replayed.take(), false)
  }
}

function alone(feed: Feed, place: Placement): void {
  if (feed.side === 'recorded') place.missing(feed.take())
  else place.extra(feed.take())
}

/** True unless leaving out one record of either side makes the times fit: then that record is the difference, and the times are not. */
function* onlyDrifts(recorded: Feed, replayed: Feed, scope: Scope): Generator<Side, boolean, void> {
  yield* recorded.fill(2)
  yield* replayed.fill(2)
  const fits = (a: Feed, at: number, b: Feed, bt: number): boolean => a.size > at && b.size > bt && sameStrictly(a.at(at), b.at(bt), scope)
  return !fits(recorded, 1, replayed, 0) && !fits(recorded, 0, replayed, 1)
}

function* chooseScript(left: Feed, right: Feed, strictness: Strictness, scope: Scope): Generator<Side, Step[], void> {
  const names = new Map<string, number>()
  const key = (entry: Entry): string => contentKey(entry.record.kind, scope)
  const [ahead, beside] = [lookahead(left, names, key), lookahead(right, names, key)]
  const cost = pairCost({ feed: left, ahead }, { feed: right, ahead: beside }, strictness, scope)
  const found = (strictness === 'strict' ? yield* findStrictly(left, right, scope) : null) ?? (yield* findResync(ahead, beside, MAX_EDITS))
  if (found !== null) return editScript(found.left, found.right, found.edits, cost)
  return yield* scriptByAnchors(ahead, beside, cost)
}

function findStrictly(left: Feed, right: Feed, scope: Scope): Generator<Side, Resync | null, void> {
  const names = new Map<string, number>()
  const key = (entry: Entry): string => strictKey(entry.record, scope)
  return findResync(lookahead(left, names, key), lookahead(right, names, key), MAX_STRICT_EDITS)
}

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
