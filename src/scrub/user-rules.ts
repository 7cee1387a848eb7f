/**
 * The user's own patterns, checked when the scrubber is created. A literal is searched for like a known
 * value. A regular expression must run in linear time on hostile text and must not match the empty string.
 */
import { RepriseError } from '../errors/index.ts'
import { KIND_CHARACTERS } from './placeholder.ts'
import { type Match, RANK, type Rule } from './rule.ts'
import type { Side } from './scrubber.ts'

export type UserPattern = {
  /** Becomes the kind: `<redacted:NAME>`. */
  readonly name: string
  /** A literal of at least four characters, or a regular expression with bounded repetitions. */
  readonly pattern: string | RegExp
  /** Both sides by default. */
  readonly side?: Side
}

export type UserExpression = {
  readonly name: string
  readonly expression: RegExp
  readonly side: Side | null
}

const SHORTEST_LITERAL = 4
/** A line longer than this counts as whole. */
const LONGEST_LINE = 4096
/** The maximum number of ways to try the repetitions before the last one at one offset. */
const MOST_WAYS = 4096

/** What the expressions of this side find in the text, without empty matches. */
export function* expressionMatches(
  expressions: readonly UserExpression[],
  text: string,
  side: Side,
): Generator<Match, void, void> {
  for (const { name, expression, side: only } of expressions) {
    if (only !== null && only !== side) continue
    for (const { index: start, 0: found } of text.matchAll(expression))
      if (found.length > 0) yield { start, end: start + found.length, kind: name, rank: RANK.shape }
  }
}

/** A user's expression is run on whole lines, because nothing else shows where a match may end. */
export function wholeLines(text: string): number {
  const start = text.lastIndexOf('\n') + 1
  return text.length - start > LONGEST_LINE ? text.length : start
}

export function literalRule({ name, pattern }: UserPattern & { readonly pattern: string }): Rule {
  return {
    name,
    rank: RANK.shape,
    probes: () => [pattern.slice(0, 4)],
    check: (input, at) =>
      input.startsWith(pattern, at)
        ? { start: at, end: at + pattern.length, kind: name, rank: RANK.shape }
        : null,
  }
}

export function checkPattern({ name, pattern }: UserPattern): void {
  if (!KIND_CHARACTERS.test(name))
    throw invalid(name, 'its name may hold letters, digits, "_", "-" and "." only', 'choose another name')
  if (typeof pattern === 'string') {
    if (pattern.length < SHORTEST_LITERAL)
      throw invalid(name, `a literal has at least ${SHORTEST_LITERAL} characters`, 'use a longer literal')
    return
  }
  if (pattern.test('') || new RegExp(pattern.source, pattern.flags.replace('y', '')).test(''))
    throw invalid(name, 'it matches nothing at all', 'make a part of it required')
  const problem = runawayProblem(pattern.source)
  if (problem !== null)
    throw invalid(name, problem, 'bound each repetition, for example {1,64}; only the last one may be + or *')
}

export function expressionOf({
  name,
  pattern,
  side,
}: UserPattern & { readonly pattern: RegExp }): UserExpression {
  const flags = new Set(pattern.flags)
  flags.delete('y')
  return { name, expression: new RegExp(pattern.source, [...flags.add('g')].join('')), side: side ?? null }
}

function invalid(name: string, problem: string, hint: string): RepriseError {
  return new RepriseError('scrub-rule-invalid', `scrub rule "${name}": ${problem}`, {
    details: { rule: name },
    hint,
  })
}

type Repetition = { readonly end: number; readonly least: number; readonly most: number }

/**
 * Why an expression may take more than linear time, or null. Strict: no repetition of a group that itself
 * repeats or has alternatives, no back-reference, and few ways to split a text among the repetitions before
 * the last.
 */
function runawayProblem(source: string): string | null {
  const groups: { varies: boolean }[] = []
  let ways = 1
  let unbounded = false
  let afterGroup: { varies: boolean } | null = null
  for (let at = 0; at < source.length; ) {
    const char = source[at]
    if (char === '\\') {
      if (/[1-9k]/.test(source[at + 1] ?? '')) return 'it refers back to what it has matched'
      at += 2
      afterGroup = null
    } else if (char === '[') {
      at = classEnd(source, at)
      afterGroup = null
    } else if (char === '(') {
      groups.push({ varies: false })
      at += source.startsWith('(?', at)
        ? (/^\(\?(?:<?[=!]|:|<[^>]*>|[a-z-]*:)/.exec(source.slice(at))?.[0].length ?? 2)
        : 1
      afterGroup = null
    } else if (char === ')') {
      afterGroup = groups.pop() ?? null
      const outer = groups[groups.length - 1]
      if (outer !== undefined && afterGroup?.varies) outer.varies = true
      at += 1
    } else if (char === '|') {
      const group = groups[groups.length - 1]
      if (group !== undefined) group.varies = true
      at += 1
      afterGroup = null
    } else {
      const repetition = repetitionAt(source, at)
      if (repetition === null) {
        at += 1
        afterGroup = null
        continue
      }
      const varies = repetition.most !== repetition.least
      if (afterGroup?.varies && repetition.most > 1) return 'it repeats a part that itself repeats or chooses'
      if (unbounded) return 'a repetition without bound is not the last one'
      const group = groups[groups.length - 1]
      if (group !== undefined && varies) group.varies = true
      if (!Number.isFinite(repetition.most)) {
        if (groups.length > 0 || !/^\)*(?:\\b|\$)?$/.test(source.slice(repetition.end)))
          return 'a repetition without bound is not the last one'
        unbounded = true
      } else if (varies) ways *= repetition.most - repetition.least + 1
      if (ways > MOST_WAYS) return 'its repetitions can be matched in too many ways'
      at = repetition.end
      afterGroup = null
    }
  }
  return null
}

function repetitionAt(source: string, at: number): Repetition | null {
  const found = /^(?:([*+?])|\{(\d{1,6})(,(\d{0,6}))?\})\??/.exec(source.slice(at, at + 24))
  if (found === null) return null
  const end = at + found[0].length
  if (found[1] !== undefined)
    return { end, least: found[1] === '+' ? 1 : 0, most: found[1] === '?' ? 1 : Number.POSITIVE_INFINITY }
  const least = Number(found[2])
  return {
    end,
    least,
    most: found[3] === undefined ? least : found[4] === '' ? Number.POSITIVE_INFINITY : Number(found[4]),
  }
}

function classEnd(source: string, at: number): number {
  for (let end = at + 1; end < source.length; end += 1) {
    if (source[end] === '\\') end += 1
    else if (source[end] === ']') return end + 1
  }
  return source.length
}
