/**
 * Finds where two streams of records run alike again after they parted, at the price of the fewest records
 * changed, added or left out.
 *
 * Grows the furthest point that one, two, three … edits can reach on every diagonal. A way is taken when it
 * alone goes on equal for `RUN` records, or when it ends where both streams end. While several ways go on
 * equal (repeated records) it looks further ahead instead of guessing.
 */
import type { Side } from './feed.ts'

/** What the search needs of a side: numbers that are equal for equal records, as far as they have come. */
export type Lookahead = {
  /** How many records are there. */
  readonly size: number
  /** True if nothing comes after them. */
  readonly complete: boolean
  id(index: number): number
  fill(count: number): Generator<Side, void, void>
}

export type Resync = {
  /** Records of each side before the point from which both go on equal. */
  readonly left: number
  readonly right: number
  readonly edits: number
}

const RUN = 32

export function* findResync(
  left: Lookahead,
  right: Lookahead,
  maxEdits: number,
): Generator<Side, Resync | null, void> {
  const middle = maxEdits + 1
  // furthest[d + middle]: the furthest left position on diagonal d = left - right; -1 where no way leads.
  let furthest = new Int32Array(2 * middle + 1).fill(-1)
  furthest[middle] = 0
  let reach = 0
  for (let edits = 1; edits <= maxEdits; edits += 1) {
    yield* left.fill(reach + RUN + 2)
    yield* right.fill(reach + edits + RUN + 2)
    const starts = new Int32Array(furthest.length).fill(-1)
    const ends = new Int32Array(furthest.length).fill(-1)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 1) {
      const slot = diagonal + middle
      const start = step(furthest, slot, diagonal, left.size, right.size)
      starts[slot] = start
      ends[slot] = start < 0 ? -1 : extend(left, right, start, diagonal, RUN)
    }
    const found = yield* settle(left, right, starts, ends, middle, edits)
    if (found !== null) return found
    furthest = ends
    for (const end of ends) reach = Math.max(reach, end)
  }
  return null
}

/**
 * The furthest left position that one more edit reaches on this diagonal: a change, a record of the left
 * alone, or one of the right alone.
 */
function step(
  furthest: Int32Array,
  slot: number,
  diagonal: number,
  leftSize: number,
  rightSize: number,
): number {
  const reachable = (position: number): number =>
    position >= 0 && position <= leftSize && position - diagonal <= rightSize && position >= diagonal
      ? position
      : -1
  const changed = furthest[slot] ?? -1
  const leftOnly = furthest[slot - 1] ?? -1
  const rightOnly = furthest[slot + 1] ?? -1
  return Math.max(
    changed < 0 ? -1 : reachable(changed + 1),
    leftOnly < 0 ? -1 : reachable(leftOnly + 1),
    rightOnly < 0 ? -1 : reachable(rightOnly),
  )
}

function extend(left: Lookahead, right: Lookahead, from: number, diagonal: number, most: number): number {
  const leftLimit = Math.min(left.size, from + most)
  const rightSize = right.size
  let at = from
  while (at < leftLimit && at - diagonal < rightSize && left.id(at) === right.id(at - diagonal)) at += 1
  return at
}

/** Decides among the ways of one level, looking further ahead as long as more than one goes on equal. */
function* settle(
  left: Lookahead,
  right: Lookahead,
  starts: Int32Array,
  ends: Int32Array,
  middle: number,
  edits: number,
): Generator<Side, Resync | null, void> {
  for (let run = RUN; ; run *= 4) {
    const alive: number[] = []
    for (const [slot, end] of ends.entries()) {
      if (end < 0) continue
      const diagonal = slot - middle
      if (left.complete && right.complete && end === left.size && end - diagonal === right.size)
        return at(starts, slot, middle, edits)
      if (end - (starts[slot] ?? 0) >= run || atLimit(left, right, end, diagonal)) alive.push(slot)
    }
    const [only] = alive
    if (only === undefined) return null
    if (alive.length === 1) return at(starts, only, middle, edits)
    const grown = yield* lookFurther(left, right, ends, alive, middle, run)
    if (!grown) return at(starts, nearest(alive, middle), middle, edits)
    for (const slot of alive) ends[slot] = extend(left, right, starts[slot] ?? 0, slot - middle, run * 4)
  }
}

function* lookFurther(
  left: Lookahead,
  right: Lookahead,
  ends: Int32Array,
  alive: readonly number[],
  middle: number,
  run: number,
): Generator<Side, boolean, void> {
  const before = left.size + right.size
  let furthest = 0
  for (const slot of alive)
    furthest = Math.max(furthest, ends[slot] ?? 0, (ends[slot] ?? 0) - (slot - middle))
  yield* left.fill(furthest + run * 3 + 1)
  yield* right.fill(furthest + run * 3 + 1)
  if (left.size + right.size > before) return true
  // Nothing new came: either all is there, and the ways can still be followed to the end, or the lookahead is
  // at its limit.
  return alive.some(
    (slot) => (ends[slot] ?? 0) < left.size && (ends[slot] ?? 0) - (slot - middle) < right.size,
  )
}

/** True if this way was not stopped by a difference, only by the end of the window. */
function atLimit(left: Lookahead, right: Lookahead, end: number, diagonal: number): boolean {
  return (end === left.size && !left.complete) || (end - diagonal === right.size && !right.complete)
}

function at(starts: Int32Array, slot: number, middle: number, edits: number): Resync {
  const left = starts[slot] ?? 0
  return { left, right: left - (slot - middle), edits }
}

/** The way that skips least; of two, the first: the caller has put the sides in an order of their own. */
function nearest(alive: readonly number[], middle: number): number {
  return alive.reduce((best, slot) => (Math.abs(slot - middle) < Math.abs(best - middle) ? slot : best))
}
