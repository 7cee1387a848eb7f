/**
 * Rules for the keys of `shape-table.ts`: a fixed prefix and a body of one character class. They apply to
 * sent and received data, so each must be certain enough to change a file that the program reads: a false
 * match would change what a replay returns.
 *
 * A key also counts inside a longer word (`backup_ghp_…`, a file name, a length byte before it), if its body
 * looks random. There the prefix stays and the body is replaced, so a stream need not hold back the end of
 * every word that a key could continue.
 */
import {
  ALNUM,
  BASE64,
  type CharClass,
  charsOf,
  DIGIT,
  HEX,
  isIn,
  LOWER,
  runEnd,
  someIn,
  UPPER,
  UPPER_DIGIT,
} from './char-class.ts'
import { hasRandomLetters } from './random-letters.ts'
import { beginsToken, RANK, type Rule } from './rule.ts'
import { type Shape, shapes } from './shape-table.ts'

/** Prefixes that name what follows: they stay, and only the body is replaced. */
const NAMING = new Set(['AccountKey=', 'SharedAccessKey='])

/** This much of a body is enough to judge whether it looks random. */
const MOST_JUDGED = 512

export const shapeRules: readonly Rule[] = shapes.map(shapeRule)

function shapeRule(shape: Shape): Rule {
  return {
    name: shape.kind,
    rank: RANK.shape,
    isKey: true,
    atWordStart: true,
    mayHoldSlash: isIn(shape.body, '/', 0),
    probes: () => shape.prefixes.flatMap((prefix) => probesOf(prefix, shape.body)),
    check(input, at) {
      const prefix = shape.prefixes.find((candidate) => input.startsWith(candidate, at))
      if (prefix === undefined) return null
      const bodyStart = at + prefix.length
      const end = input.runEnd(shape.body, bodyStart)
      const { text } = input
      const judged = Math.min(end, bodyStart + MOST_JUDGED)
      if (end - bodyStart < shape.min || !isAccepted(shape, text, bodyStart, judged)) return null
      const isWord = beginsToken(text, at)
      if (!isWord && !isKeyInsideWord(shape, text, bodyStart, judged)) return null
      return {
        start: isWord && !NAMING.has(prefix) ? at : bodyStart,
        end,
        kind: shape.kind,
        rank: RANK.shape,
      }
    },
  }
}

/** The first four characters; a prefix of three is followed by a character that its body may begin with. */
function probesOf(prefix: string, body: CharClass): string[] {
  if (prefix.length >= 4) return [prefix.slice(0, 4)]
  return [prefix + charsOf(body)]
}

function isAccepted(shape: Shape, text: string, from: number, to: number): boolean {
  switch (shape.only) {
    case 'random':
      return looksRandom(text, from, to)
    case 'alone':
      return standsAlone(text, from)
    default:
      return true
  }
}

/**
 * Names of style sheets also begin with `sk-`: a key has digits and capitals, one long piece with a digit, or
 * capitals and small letters in an order that words do not have.
 */
function looksRandom(text: string, from: number, to: number): boolean {
  if (!someIn(DIGIT, text, from, to)) return isMixed(text, from, to)
  if (someIn(UPPER, text, from, to)) return true
  return somePiece(text, from, to, 16, (start, end) => someIn(DIGIT, text, start, end))
}

/**
 * `task-…` ends with the prefix of a key, and a task may have any id: inside a word the body must meet
 * stricter conditions.
 */
function isKeyInsideWord(shape: Shape, text: string, from: number, to: number): boolean {
  if (shape.only === 'alone') return true
  if (shape.body === HEX || shape.body === UPPER_DIGIT) return someIn(DIGIT, text, from, to)
  if (somePiece(text, from, to, 10, (start, end) => isMixed(text, start, end))) return true
  if (shape.only === 'random') return false
  if (somePiece(text, from, to, 24, (start, end) => digitsIn(text, start, end) >= 4)) return true
  return hasRandomLetters(text, from, to)
}

/** Capitals and small letters, with a digit or in an order that words do not have. */
function isMixed(text: string, from: number, to: number): boolean {
  return (
    someIn(UPPER, text, from, to) &&
    someIn(LOWER, text, from, to) &&
    (someIn(DIGIT, text, from, to) || hasRandomLetters(text, from, to))
  )
}

function somePiece(
  text: string,
  from: number,
  to: number,
  least: number,
  test: (start: number, end: number) => boolean,
): boolean {
  for (let at = from; at < to; ) {
    const end = runEnd(ALNUM, text, at, to - at)
    if (end - at >= least && test(at, end)) return true
    at = end + 1
  }
  return false
}

function digitsIn(text: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at += 1) if (isIn(DIGIT, text, at)) count += 1
  return count
}

/**
 * Made of base64 characters only, so it may occur in an image by chance: then a long row of them precedes it.
 */
function standsAlone(text: string, from: number): boolean {
  const start = from - 4
  let before = start
  while (before > 0 && start - before < 40 && isIn(BASE64, text, before - 1)) before -= 1
  return start - before < 40
}
