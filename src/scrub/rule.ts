/**
 * What a rule is: some probes (four characters that every occurrence holds) and a check that is asked at each place where a probe was met.
 *
 * A check walks forward over character classes, never back over what it has walked, so that the whole scan is linear. At the end of a text that
 * may go on (`final` false) it says so with `open`, and a stream holds back from there.
 */
import { isIn, TOKEN } from './char-class.ts'

export type Input = {
  readonly text: string
  /** False while more may follow: a match that touches the end is then not certain. */
  readonly final: boolean
}

export type Match = {
  /** What is to be replaced. */
  readonly start: number
  readonly end: number
  readonly kind: string
  /** Exact values beat shapes, shapes beat heuristics, where they begin at the same place. */
  readonly rank: Rank
  /** The text ends before it is certain where, or whether, the match ends. `end` then is the end of the text, or lies before `start` if it is no match so far. */
  readonly open: boolean
  /** Fixed where the placeholder is not made from the kind: values from the environment, and placeholders that are kept. */
  readonly placeholder?: string
  /** Worth knowing from here on: the program will send it back in another place. */
  /** Worth looking for elsewhere; a password by other marks than a token. */
  readonly learn?: true | 'password'
}

/** `keep` marks a placeholder that stays; `media` a stretch in which only exact values count; `hint` only says that a field name may be near. */
export const RANK = { keep: 0, known: 1, media: 2, shape: 3, heuristic: 4, hint: 5 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

export type Rule = {
  readonly name: string
  readonly rank: Rank
  /**
   * Three characters, then those of which one follows: `sk-abc` stands for `sk-a`, `sk-b` and `sk-c`. The check is called with the place of the first.
   * Asked for when the first text is looked at.
   */
  probes(): readonly string[]
  /** It only ever begins where `beginsToken` says so: a stream need not hold back the middle of a word for it. */
  readonly atWordStart?: boolean
  /** What it looks for may hold a slash, which JSON may write `\\/`. */
  readonly mayHoldSlash?: boolean
  check(input: Input, at: number): Match | null
}

/**
 * True if a token may begin at `at`: what stands before is no part of a longer word. Escapes that end in a letter or a digit (`\n`, `\u000a`,
 * `%3D`, a terminal colour) are no part of a word either, though their last character looks like one.
 */
export function beginsToken(text: string, at: number): boolean {
  if (at === 0 || !isIn(TOKEN, text, at - 1)) return true
  const before = text.slice(Math.max(0, at - 12), at)
  return /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\u001b\[[0-9;]{0,8}[A-Za-z])$/.test(before)
}
