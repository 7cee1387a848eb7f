/**
 * Whether what the program sends in a replay (a file that it writes, the input of a child) is what it sent
 * when recorded. The first line that differs says how.
 */
import type { ReplayDivergence } from '../difference/divergence.ts'
import { firstDifference } from '../difference/first-difference.ts'
import { otherContent } from '../difference/sentences.ts'

/** Null if they are the same. Both are scrubbed: the tape has nothing else. */
export function sentDivergence(
  seq: number,
  expected: Uint8Array,
  actual: Uint8Array,
  what: string,
): ReplayDivergence | null {
  if (Buffer.compare(expected, actual) === 0) return null
  const difference = firstDifference(expected, actual)
  return difference === null ? null : otherContent(seq, what, difference)
}
