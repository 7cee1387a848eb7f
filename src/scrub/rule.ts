/**
 * What a rule is: some probes (four characters that every occurrence holds) and a check that is asked at each
 * place where a probe was met.
 *
 * A check walks forward over character classes, never back over what it has walked, so that the whole scan is
 * linear. It reads through `Input`, which notes whether the end of the text decided: a stream then holds back
 * from the place of the probe.
 *
 * Decisions 0020 and 0296.
 */
import { type CharClass, isIn, TOKEN } from './char-class.ts'
import type { Input } from './input.ts'

export type Match = {
  /** What is to be replaced. */
  readonly start: number
  readonly end: number
  readonly kind: string
  /** Exact values beat shapes, shapes beat heuristics, where they begin at the same place. */
  readonly rank: Rank
  /**
   * Fixed where the placeholder is not made from the kind: values from the environment, and placeholders that
   * are kept.
   */
  readonly placeholder?: string
  /** Worth looking for elsewhere; a password by other marks than a token. */
  readonly learn?: true | 'password'
}

/**
 * `keep` marks a placeholder that stays; `media` a stretch in which only exact values count; `hint` only says
 * that a field name may be near.
 */
export const RANK = { keep: 0, known: 1, media: 2, shape: 3, heuristic: 4, hint: 5 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

export type Rule = {
  readonly name: string
  readonly rank: Rank
  /**
   * Three characters, then those of which one follows: `sk-abc` stands for `sk-a`, `sk-b` and `sk-c`. The
   * check is called with the place of the first. Asked for when the first text is looked at.
   */
  probes(): readonly string[]
  /** What the rule may take with it before its probe: characters of this class, at most so many. A stream holds them back,
   * from `least` of them on: a single digit at the end of a chunk is no reason to wait. */
  readonly lead?: { readonly table: CharClass; readonly most: number; readonly least?: number }
  /**
   * Where the text ends in the beginning of a secret whose probe is further on in it; the length of the text
   * if it does not.
   */
  opening?(text: string): number
  /** Its probe is the beginning of the secret itself. */
  readonly isKey?: boolean
  /** The check is called at places inside of base64 of ASCII text, too. */
  readonly inBase64?: boolean
  /**
   * It only ever begins where `beginsToken` says so: a stream need not hold back the middle of a word for it.
   */
  readonly atWordStart?: boolean
  /** What it looks for may hold a slash, which JSON may write `\\/`. */
  readonly mayHoldSlash?: boolean
  check(input: Input, at: number): Match | null
}

/**
 * True if a token may begin at `at`: what stands before is no part of a longer word. Escapes that end in a
 * letter or a digit (`\n`, `\u000a`, `%3D`, a terminal colour) are no part of a word either, though their
 * last character looks like one.
 */
export function beginsToken(text: string, at: number): boolean {
  if (at === 0 || !isIn(TOKEN, text, at - 1)) return true
  const before = text.slice(Math.max(0, at - 12), at)
  return /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\u001b\[[0-9;]{0,8}[A-Za-z])$/.test(
    before,
  )
}
