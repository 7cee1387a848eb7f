/**
 * The cheapest way from one short run of records to another: pairs, and records that only one side has.
 * Cheapest means the fewest findings; among those, a pair of the same kind about the same thing beats a pair
 * of strangers.
 *
 * Symmetrical: with the sides exchanged it gives the same pairs. The caller sees to that by ordering the
 * sides; here a tie is always broken the same way.
 */

/** `pair` takes one of both sides, `left` and `right` one of that side alone. */
export const PAIR = 0
export const LEFT = 1
export const RIGHT = 2
export type Step = typeof PAIR | typeof LEFT | typeof RIGHT

/** What it costs to leave a record alone; pairs cost between nothing (equal) and a little more than this. */
export const ALONE = 100

export type PairCost = (left: number, right: number) => number

/**
 * Steps from (0, 0) to (`leftCount`, `rightCount`), looking only at pairs whose positions differ by at most
 * `band` more than the counts make necessary. Work and memory are leftCount × (2 × band + difference).
 */
export function editScript(leftCount: number, rightCount: number, band: number, cost: PairCost): Step[] {
  const low = Math.min(0, rightCount - leftCount) - band
  const high = Math.max(0, rightCount - leftCount) + band
  const width = high - low + 1
  const steps = new Uint8Array((leftCount + 1) * width)
  let above = new Float64Array(width).fill(Number.POSITIVE_INFINITY)
  let row = new Float64Array(width)
  for (let left = 0; left <= leftCount; left += 1) {
    row.fill(Number.POSITIVE_INFINITY)
    for (let at = Math.max(0, -left - low); at < width; at += 1) {
      const right = left + low + at
      if (right > rightCount) break
      if (left === 0 && right === 0) {
        row[at] = 0
        continue
      }
      let best = Number.POSITIVE_INFINITY
      let step: Step = PAIR
      const before = above[at] ?? Number.POSITIVE_INFINITY
      if (left > 0 && right > 0 && before < Number.POSITIVE_INFINITY)
        best = before + cost(left - 1, right - 1)
      const skipLeft =
        left > 0 && at + 1 < width
          ? (above[at + 1] ?? Number.POSITIVE_INFINITY) + ALONE
          : Number.POSITIVE_INFINITY
      if (skipLeft < best) {
        best = skipLeft
        step = LEFT
      }
      const skipRight =
        right > 0 && at > 0 ? (row[at - 1] ?? Number.POSITIVE_INFINITY) + ALONE : Number.POSITIVE_INFINITY
      if (skipRight < best) {
        best = skipRight
        step = RIGHT
      }
      row[at] = best
      steps[left * width + at] = step
    }
    const spare = above
    above = row
    row = spare
  }
  return trace(steps, width, low, leftCount, rightCount)
}

function trace(steps: Uint8Array, width: number, low: number, leftCount: number, rightCount: number): Step[] {
  const script: Step[] = []
  let left = leftCount
  let right = rightCount
  while (left > 0 || right > 0) {
    const step = steps[left * width + (right - left - low)] as Step
    script.push(step)
    if (step !== RIGHT) left -= 1
    if (step !== LEFT) right -= 1
  }
  return script.reverse()
}

/**
 * Pairs as many as both have, in order, then what is left: for stretches that have nothing in common and are
 * too large to think about.
 */
export function positionScript(leftCount: number, rightCount: number): Step[] {
  const script: Step[] = new Array(Math.min(leftCount, rightCount)).fill(PAIR)
  for (let at = rightCount; at < leftCount; at += 1) script.push(LEFT)
  for (let at = leftCount; at < rightCount; at += 1) script.push(RIGHT)
  return script
}
