/**
 * How many findings a script would give, a little further than it goes: for choosing between a way on which
 * everything fits exactly again, and a shorter one on which the content fits and only the numbers of the
 * effects are shifted.
 */
import type { RecordComparer } from '../record-comparer.ts'
import { LEFT, RIGHT, type Step } from './edit-script.ts'
import type { Feed } from './feed.ts'

/** Counts until `leftEnd` records of the left side are placed, or either side has no more to look at. */
export function findingsOf(
  script: readonly Step[],
  left: Feed,
  right: Feed,
  comparer: RecordComparer,
  leftEnd: number,
): number {
  const trial = comparer.copy()
  let [leftAt, rightAt, findings] = [0, 0, 0]
  const pair = (): void => {
    const [a, b] =
      left.side === 'recorded' ? [left.at(leftAt), right.at(rightAt)] : [right.at(rightAt), left.at(leftAt)]
    if (trial.exact(a, b) === 'different') findings += 1
    trial.place(a, b)
    leftAt += 1
    rightAt += 1
  }
  const skip = (feed: Feed, at: number): void => {
    if (feed.side === 'recorded') trial.place(feed.at(at), null)
    else trial.place(null, feed.at(at))
    findings += 1
  }
  for (const step of script) {
    if (step === LEFT) {
      skip(left, leftAt)
      leftAt += 1
    } else if (step === RIGHT) {
      skip(right, rightAt)
      rightAt += 1
    } else pair()
  }
  while (leftAt < leftEnd && leftAt < left.size && rightAt < right.size) pair()
  if (left.ended && leftAt === left.size) findings += Math.min(right.size - rightAt, leftEnd)
  if (right.ended && rightAt === right.size) findings += Math.min(left.size - leftAt, leftEnd)
  return findings
}
