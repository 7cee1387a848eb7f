/**
 * Landmarks between two long stretches of records that differ much: records (or short sequences of them) that
 * each side has exactly once, taken in the longest order that both sides agree on. For a block of records put
 * in or left out, which edit by edit would be too far to search.
 */

export type Anchor = { readonly left: number; readonly right: number }

/**
 * Tries single records first, then sequences up to this long, for tapes in which every record alone repeats.
 */
const MAX_LENGTH = 16

export function findAnchors(left: readonly number[], right: readonly number[]): Anchor[] {
  if (!haveCommon(left, right)) return []
  let names = [left, right] as const
  for (let length = 1; length <= MAX_LENGTH; length *= 2) {
    const chain = worthwhile(longestChain(uniquePairs(...names)), left, right)
    if (chain.length > 0) return chain
    names = doubled(...names, length)
  }
  return []
}

const ENOUGH = 64

/**
 * Leaves out a landmark that would shift the sides against each other by more records than are equal from
 * there on: a coincidence.
 */
function worthwhile(chain: readonly Anchor[], left: readonly number[], right: readonly number[]): Anchor[] {
  const kept: Anchor[] = []
  let shift = 0
  for (const anchor of chain) {
    const moved = Math.abs(anchor.left - anchor.right - shift)
    if (moved > 0 && runAt(anchor, left, right) < Math.min(moved, ENOUGH)) continue
    shift = anchor.left - anchor.right
    kept.push(anchor)
  }
  return kept
}

/** How many records are equal from a landmark on, up to enough; the end of both sides counts as enough. */
function runAt(anchor: Anchor, left: readonly number[], right: readonly number[]): number {
  let run = 0
  while (
    run < ENOUGH &&
    left[anchor.left + run] !== undefined &&
    left[anchor.left + run] === right[anchor.right + run]
  )
    run += 1
  return anchor.left + run === left.length && anchor.right + run === right.length ? ENOUGH : run
}

function haveCommon(left: readonly number[], right: readonly number[]): boolean {
  const known = new Set(left)
  return right.some((name) => known.has(name))
}

/** Names of sequences twice as long: equal exactly for equal sequences, on both sides. */
function doubled(left: readonly number[], right: readonly number[], length: number): [number[], number[]] {
  const known = new Map<number, number>()
  const lengthen = (names: readonly number[]): number[] => {
    const longer: number[] = []
    for (let at = 0; at + length < names.length; at += 1) {
      const both = (names[at] ?? 0) * NAMES + (names[at + length] ?? 0)
      const name = known.get(both)
      if (name === undefined) known.set(both, known.size)
      longer.push(name ?? known.size - 1)
    }
    return longer
  }
  return [lengthen(left), lengthen(right)]
}

/** More than there can be in two windows, so that two names fit into one exact number. */
const NAMES = 2 ** 26

/** Where each name that both sides have exactly once stands, in the order of the left side. */
function uniquePairs(left: readonly number[], right: readonly number[]): Anchor[] {
  const places = new Map<number, { left: number; right: number; times: number }>()
  for (const [at, name] of left.entries()) {
    const place = places.get(name)
    if (place === undefined) places.set(name, { left: at, right: -1, times: 1 })
    else place.times = 2
  }
  for (const [at, name] of right.entries()) {
    const place = places.get(name)
    if (place === undefined) continue
    if (place.right >= 0) place.times = 2
    place.right = at
  }
  return [...places.values()].filter((place) => place.times === 1 && place.right >= 0)
}

/** The longest chain that rises on both sides (patience sorting). */
function longestChain(pairs: readonly Anchor[]): Anchor[] {
  const tops: number[] = []
  const previous = new Int32Array(pairs.length).fill(-1)
  for (const [at, pair] of pairs.entries()) {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tops[middle] ?? 0]?.right ?? 0) < pair.right) low = middle + 1
      else high = middle
    }
    previous[at] = low === 0 ? -1 : (tops[low - 1] ?? -1)
    tops[low] = at
  }
  const chain: Anchor[] = []
  for (let at = tops.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at]
    if (pair !== undefined) chain.push(pair)
  }
  return chain.reverse()
}
