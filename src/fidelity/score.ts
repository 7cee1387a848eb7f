/**
 * The score, in single precision as upstream computes and prints it: our report and theirs show the same
 * digits.
 */
import { printNumber } from '../base/index.ts'
import type { FidelityMode } from './modes.ts'

export function scoreOf(
  mode: FidelityMode,
  divergences: number,
  recordedRecords: number,
  replayRecords: number,
): number {
  if (mode === 'outcome') return divergences === 0 ? 1 : 0
  const baseline = Math.max(recordedRecords, replayRecords, 1)
  const share = Math.fround(Math.fround(divergences) / Math.fround(baseline))
  return Math.fround(1 - Math.min(share, 1))
}

/** The shortest digits that give the same single again: `1.0`, `0.5`, `0.6666666`. */
export function printScore(score: number): string {
  if (Number.isInteger(score)) return `${score}.0`
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = score.toPrecision(digits)
    if (Math.fround(Number(text)) === score) return printNumber(String(Number(text)))
  }
  return printNumber(String(score))
}
