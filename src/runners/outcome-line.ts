/** What a test with a tape did, in one line for the runner's output. */
import { relative } from 'node:path'
import { printable } from '../base/index.ts'
import { realCwd } from '../real/process.ts'
import type { RecordedOutcome } from '../testbench/index.ts'

export function outcomeLine({ done, tape, unverified }: RecordedOutcome): string {
  const path = relative(realCwd(), tape)
  if (unverified.length === 0) return `${done}: ${path}`
  return `${done}, unverified: ${path}: ${printable(unverified.join('; '))}`
}

/** Null for what needs no line: a faithful replay. */
export function worthALine(outcome: RecordedOutcome): string | null {
  if (outcome.done === 'replayed' && outcome.unverified.length === 0) return null
  return `reprise: ${outcomeLine(outcome)}\n`
}
