/**
 * Aligns two long stretches by their landmarks: what lies between two landmarks is small enough to be aligned
 * record by record, or has nothing in common.
 */
import { type Anchor, findAnchors } from './anchors.ts'
import { editScript, PAIR, type PairCost, positionScript, type Step } from './edit-script.ts'
import { MAX_AHEAD, type Side } from './feed.ts'
import type { Lookahead } from './wavefront.ts'

/** Windows to look for landmarks in, in records: the next one only if there is none in this one. */
const WINDOWS = [2048, MAX_AHEAD]
/** Stretches of more pairs than this are not compared each with each. */
const MAX_PAIRS = 250_000

export function* scriptByAnchors(
  left: Lookahead,
  right: Lookahead,
  cost: PairCost,
): Generator<Side, Step[], void> {
  for (const window of WINDOWS) {
    yield* left.fill(window)
    yield* right.fill(window)
    const anchors = findAnchors(idsOf(left, window), idsOf(right, window))
    if (anchors.length > 0) return throughAnchors(anchors, cost)
    if (left.size < window && right.size < window) break
  }
  return withoutAnchors(left, right, cost)
}

function idsOf(side: Lookahead, window: number): number[] {
  const count = Math.min(side.size, window)
  return Array.from({ length: count }, (_, at) => side.id(at))
}

/** Up to the last landmark: what follows it is aligned anew. */
function throughAnchors(anchors: readonly Anchor[], cost: PairCost): Step[] {
  const script: Step[] = []
  let left = 0
  let right = 0
  for (const anchor of anchors) {
    for (const step of between(left, anchor.left, right, anchor.right, cost)) script.push(step)
    script.push(PAIR)
    left = anchor.left + 1
    right = anchor.right + 1
  }
  return script
}

function between(left: number, leftEnd: number, right: number, rightEnd: number, cost: PairCost): Step[] {
  const leftCount = leftEnd - left
  const rightCount = rightEnd - right
  if (leftCount === 0 || rightCount === 0 || leftCount * rightCount > MAX_PAIRS)
    return positionScript(leftCount, rightCount)
  return editScript(leftCount, rightCount, Math.min(leftCount, rightCount), (a, b) =>
    cost(left + a, right + b),
  )
}

/**
 * Nothing in common as far as can be seen: pairs most of it, and keeps a rest that may still meet what comes.
 */
function withoutAnchors(left: Lookahead, right: Lookahead, cost: PairCost): Step[] {
  const whole = left.complete && right.complete
  const [leftCount, rightCount] = whole ? [left.size, right.size] : allButRest(left.size, right.size)
  if (leftCount * rightCount <= MAX_PAIRS) return between(0, leftCount, 0, rightCount, cost)
  return positionScript(leftCount, rightCount)
}

function allButRest(left: number, right: number): [number, number] {
  const common = Math.min(left, right)
  const count = Math.max(1, common - (common >> 3))
  return [count, count]
}
