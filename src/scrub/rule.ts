/**
 * A rule: some probes (four characters that every match contains) and a check that runs at each offset at
 * which a probe was found.
 *
 * A check walks forward over character classes and never back over what it has walked, so that the whole scan
 * is linear. It reads through `Input`, which records whether the end of the text decided: a stream then holds
 * back from the offset of the probe.
 *
 * Decisions 0020 and 0296.
 */
import { type CharClass, isIn, TOKEN } from './char-class.ts'
import type { Input } from './input.ts'

export type Match = {
  /** The span to replace. */
  readonly start: number
  readonly end: number
  readonly kind: string
  /** If they begin at the same offset, exact values win over shapes, and shapes over heuristics. */
  readonly rank: Rank
  /**
   * Set if the placeholder is not made from the kind: values from the environment, and placeholders that are
   * kept.
   */
  readonly placeholder?: string
  /** Search for this value elsewhere too. Passwords and tokens have different conditions. */
  readonly learn?: true | 'password'
}

/**
 * `keep` marks a placeholder that stays; `media` marks a stretch in which only exact values count; `hint`
 * only reports that a field name may be near.
 */
export const RANK = { keep: 0, known: 1, media: 2, shape: 3, heuristic: 4, hint: 5 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

export type Rule = {
  readonly name: string
  readonly rank: Rank
  /**
   * Three characters, then the characters of which one follows: `sk-abc` means `sk-a`, `sk-b` and `sk-c`. The
   * check gets the offset of the first character. Read when the first text is scanned.
   */
  probes(): readonly string[]
  /**
   * Characters of this class before the probe that the rule may include, with a maximum. A stream holds them
   * back if there are at least `least` of them: a single digit at the end of a chunk is no reason to wait.
   */
  readonly lead?: { readonly table: CharClass; readonly most: number; readonly least?: number }
  /**
   * The offset at which the text ends with the beginning of a secret whose probe comes later; the length of
   * the text if it does not.
   */
  opening?(text: string): number
  /** The probe is the beginning of the secret itself. */
  readonly isKey?: boolean
  /** The check also runs at offsets inside base64 of ASCII text. */
  readonly inBase64?: boolean
  /**
   * Matches begin only where `beginsToken` is true: a stream need not hold back the middle of a word for this
   * rule.
   */
  readonly atWordStart?: boolean
  /** A match may contain a slash, which JSON may write as `\\/`. */
  readonly mayHoldSlash?: boolean
  check(input: Input, at: number): Match | null
}

/**
 * True if a token may begin at `at`: the character before it does not make it part of a longer word. Escapes
 * that end in a letter or a digit (`\n`, `\u000a`, `%3D`, a terminal colour) are not part of a word, although
 * their last character looks like one.
 */
export function beginsToken(text: string, at: number): boolean {
  if (at === 0 || !isIn(TOKEN, text, at - 1)) return true
  const before = text.slice(Math.max(0, at - 12), at)
  return /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\u001b\[[0-9;]{0,8}[A-Za-z])$/.test(
    before,
  )
}
