/** The result of one pass of the probe scan over a text. */
import type { Match, Rule } from './rule.ts'

export type Place<T> = { readonly at: number; readonly owner: T }

export type Scanned<T> = {
  /** The offsets at which a rule must check, in order. */
  readonly places: readonly Place<T>[]
  /** Offsets inside possible base64 of ASCII text, in order. */
  readonly base64: readonly number[]
  /** An offset in each run of possible codes of characters, in order. */
  readonly codes: readonly number[]
  readonly hasPercent: boolean
  readonly mayBeWide: boolean
}

/** What the rules found in the text itself, with the signs that it is encoded. */
export type FoundPlain = {
  readonly matches: readonly Match[]
  readonly certain: number
  readonly escaped: boolean
  readonly scanned: Scanned<Rule>
}

const NO_PLACES: readonly number[] = []
export const NOTHING: Scanned<never> = {
  places: [],
  base64: NO_PLACES,
  codes: NO_PLACES,
  hasPercent: false,
  mayBeWide: false,
}

/** True if no rule has a place to check, and nothing is encoded. */
export function isClean({ places, base64, codes, hasPercent, mayBeWide }: Scanned<unknown>): boolean {
  return places.length === 0 && base64.length === 0 && codes.length === 0 && !hasPercent && !mayBeWide
}
