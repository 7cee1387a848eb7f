/**
 * The text with JSON's escapes decoded. Encoders write `+` as `\u002B` and `/` as `\/`; secrets are found
 * behind such escapes at any depth of JSON strings in JSON strings.
 */
import { RANK, type Rule } from './rule.ts'
import { offsetView, type View } from './view.ts'

// Bounded: with `\\+` a long row of backslashes would be walked once from each backslash.
const ESCAPE = /\\{1,64}(?:u00([0-7][0-9a-fA-F])|\/)/g

/**
 * Matches wherever the unescaped view may differ from the text. A slash inside a secret is searched near its
 * probe.
 */
export const escapeRule: Rule = {
  name: 'escape',
  rank: RANK.known,
  probes: () => ['\\u00', ':\\/\\'],
  check: () => null,
}

/** The maximum distance from a secret's probe to its first slash. */
const SLASH_WITHIN = 600

export function hasSlashAfter(text: string, at: number): boolean {
  return text.slice(at, at + SLASH_WITHIN).includes('\\/')
}

export function hasEscapes(text: string): boolean {
  return text.includes('\\u00') || text.includes('\\/')
}

export function unescapedView(text: string, final: boolean): View {
  return replacedView(text, final, ESCAPE, (match) =>
    match[1] === undefined ? '/' : String.fromCharCode(Number.parseInt(match[1], 16)),
  )
}

/** A view in which each match of the expression becomes one character. */
export function replacedView(
  text: string,
  final: boolean,
  expression: RegExp,
  char: (match: RegExpExecArray) => string,
): View {
  const parts: string[] = []
  const offsets = new Uint32Array(text.length + 1)
  let length = 0
  let done = 0
  const copy = (upTo: number): void => {
    parts.push(text.slice(done, upTo))
    for (let at = done; at < upTo; at += 1) offsets[length++] = at
  }
  for (const match of text.matchAll(expression)) {
    copy(match.index)
    parts.push(char(match))
    offsets[length++] = match.index
    done = match.index + match[0].length
  }
  copy(text.length)
  offsets[length++] = text.length
  return offsetView(parts.join(''), offsets.subarray(0, length), final)
}

/** The number of characters at the end of the text that may be the beginning of an escape. */
export function cutEscape(text: string): number {
  if (!text.includes('\\', text.length - 72)) return 0
  return /\\+(?:u(?:0(?:0[0-7]?)?)?)?$/.exec(text.slice(-72))?.[0].length ?? 0
}
