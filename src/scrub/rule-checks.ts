/** Runs the checks of the rules at the offsets of one text, and tracks which part of the text is certain. */
import { type CharClass, isIn } from './char-class.ts'
import { Input } from './input.ts'
import { type Match, RANK, type Rule } from './rule.ts'

/**
 * Minimum number of characters of a known value or a placeholder, and of a key, that are masked at the end of
 * a file that may continue.
 */
const LEAST_OF_VALUE = 4
const LEAST_OF_KEY = 12

/** The results of the checks in one text so far. */
export type Checks = {
  readonly input: Input
  readonly matches: Match[]
  /** For each rule, the end of its last match. */
  readonly ends: Map<Rule, number>
  certain: number
  /** The end of the last placeholder. */
  keptEnd: number
  /**
   * The beginning of a known value, a key or a placeholder that the text does not contain whole; the end of
   * the text if there is none.
   */
  begun: number
}

export function newChecks(text: string, final: boolean, certain: number): Checks {
  const input = new Input(text, final)
  return { input, matches: [], ends: new Map(), certain, keptEnd: 0, begun: text.length }
}

/** Runs the check of a rule at one offset. */
export function checkRule(
  checks: Checks,
  rule: Rule,
  at: number,
  isAllowed: (text: string, match: Match) => boolean,
): void {
  const { input, ends } = checks
  // A rule is not run again inside its own match: that keeps a row of prefixes linear.
  if (at < (ends.get(rule) ?? 0)) return
  input.touchedEnd = false
  input.undecidedFrom = at
  const match = rule.check(input, at)
  if (!input.final && input.touchedEnd) {
    const lead = rule.lead === undefined ? at : leadStart(input.text, at, rule.lead.table, rule.lead.most)
    const from = Math.min(input.undecidedFrom, lead, match?.start ?? at)
    // A placeholder is certain, even if a rule matches its words.
    checks.certain = Math.min(checks.certain, at < checks.keptEnd ? Math.max(from, checks.keptEnd) : from)
    if (match === null && isBegun(rule, input.text.length - from)) checks.begun = Math.min(checks.begun, from)
    if (rule.rank !== RANK.known) ends.set(rule, input.text.length)
  } else if (match !== null && rule.rank !== RANK.known) ends.set(rule, match.end)
  if (match === null || match.end <= match.start || isAllowed(input.text, match)) return
  checks.matches.push(match)
  if (match.rank === RANK.keep) checks.keptEnd = match.end
}

function isBegun(rule: Rule, length: number): boolean {
  if (rule.rank === RANK.known || rule.rank === RANK.keep) return length >= LEAST_OF_VALUE
  return rule.isKey === true && length >= LEAST_OF_KEY
}

export function leadStart(text: string, at: number, table: CharClass, most: number): number {
  let start = at
  while (start > 0 && at - start < most && isIn(table, text, start - 1)) start -= 1
  return start
}
