/**
 * Where a replay leaves its tape: as data first, and as the error that the program gets. It is kept apart from the program, so a program that
 * swallows the error changes nothing about the verdict.
 */
import { RepriseError } from '../../errors/index.ts'
import type { Difference } from './first-difference.ts'

export type ReplayCategory =
  /** The program asked for something that is not on the tape, or not any more. */
  | 'unmatched'
  /** It asked for something that was a gap when recorded: the tape cannot say what comes of it. */
  | 'gap'
  /** The tape hands out an outcome that the program did not ask for, or had given up. */
  | 'not_asked_for'
  /** The program asked for it later than it did when recorded. */
  | 'out_of_order'
  /** The program ended, or waits, while the tape has more. */
  | 'ended_early'
  /** What the program hands over is not what it handed over when recorded. */
  | 'content'
  | 'random_extra'
  | 'random_size'
  | 'random_missing'
  | 'clock_extra'
  | 'clock_missing'
  | 'exit_code'
  | 'stdout'
  | 'stderr'

export type ReplayDivergence = {
  /** The record where it shows; null for the run as a whole. */
  readonly seq: number | null
  /** One of the replay's own, or one of the fidelity oracle's. */
  readonly category: ReplayCategory | string
  readonly message: string
  readonly expected: string | null
  readonly actual: string | null
  /** The first differing field of the closest recorded request. */
  readonly path: string | null
}

/** The record most like what the program asked for. */
export type Closest = { readonly seq: number; readonly key: string; readonly difference: Difference | null }

export type Miss = {
  readonly seq: number | null
  readonly expected: string | null
  readonly actual: string
  readonly lastMatch: { readonly seq: number; readonly key: string } | null
  readonly closest: Closest | null
}

export function missDivergence(miss: Miss): ReplayDivergence {
  return {
    seq: miss.seq,
    category: 'unmatched',
    message: missMessage(miss),
    expected: miss.expected,
    actual: miss.actual,
    path: miss.closest?.difference?.path ?? null,
  }
}

export function gapDivergence({ seq, reason }: { readonly seq: number; readonly reason: string }): ReplayDivergence {
  const message = `Replay cannot go past record ${seq}: ${reason}, which was not recorded`
  return { seq, category: 'gap', message, expected: null, actual: reason, path: null }
}

export function divergenceError(divergence: ReplayDivergence): RepriseError {
  const { message, ...details } = divergence
  return new RepriseError('replay-diverged', message, {
    details,
    hint: 'record again if the change is meant',
  })
}

function missMessage({ seq, expected, actual, lastMatch, closest }: Miss): string {
  const where = seq === null ? 'Replay diverged after the end of the tape' : `Replay diverged at record ${seq}`
  const lines = [`${where}: ${expected === null ? 'the tape has nothing more' : `expected ${expected}`}, got ${actual}`]
  if (lastMatch !== null) lines.push(`  last match   #${lastMatch.seq} ${lastMatch.key}`)
  if (closest !== null) lines.push(...closestLines(closest))
  return lines.join('\n')
}

function closestLines({ seq, key, difference }: Closest): string[] {
  if (difference === null) return [`  closest      #${seq} ${key}`]
  return [
    `  closest      #${seq} ${key}   differs ${difference.where}`,
    `    recorded   ${difference.expected}`,
    `    now        ${difference.actual}`,
  ]
}
