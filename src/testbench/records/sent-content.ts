/**
 * Whether what the program sends in a replay (a file that it writes, the input of a child) is what it sent
 * when recorded. The divergence names the first line that differs.
 */
import type { Divergence } from '../../fidelity/divergence.ts'
import { otherContent } from '../../fidelity/sentences.ts'
import { firstDifference } from '../difference/first-difference.ts'

/** Null if they are the same. Both are scrubbed: the tape has nothing else. */
export function sentDivergence(
  seq: number,
  expected: Uint8Array,
  actual: Uint8Array,
  what: string,
): Divergence | null {
  if (Buffer.compare(expected, actual) === 0) return null
  const difference = firstDifference(expected, actual)
  return difference === null ? null : otherContent(seq, what, difference)
}
