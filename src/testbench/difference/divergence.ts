/**
 * Where a replay leaves its tape: as data first, and as the error that the program gets. It is kept apart
 * from the program, so a program that swallows the error changes nothing about the verdict. Made in
 * `sentences.ts`.
 */
import { RepriseError } from '../../errors/index.ts'
import type { replayCategories } from '../../fidelity/categories.ts'
import type { Difference } from './first-difference.ts'

export type ReplayCategory = (typeof replayCategories)[number]

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

/** The record that is closest to the request. */
export type Closest = { readonly seq: number; readonly key: string; readonly difference: Difference | null }

export function divergenceError(divergence: ReplayDivergence): RepriseError {
  const { message, ...details } = divergence
  return new RepriseError('replay-diverged', message, {
    details,
    hint: 'record again if the change is meant',
  })
}

/** A divergence as the record of a tape has it. */
export function divergenceOf(
  kind: Omit<ReplayDivergence, 'seq'> & { readonly at: number | null },
): ReplayDivergence {
  const { at, category, message, expected, actual, path } = kind
  return { seq: at, category, message, expected, actual, path }
}
