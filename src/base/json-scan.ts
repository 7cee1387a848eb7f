/**
 * Walks JSON text token by token without building values, so that a caller can look at, or replace, a span
 * and leave every other byte as it came (number spellings, white space, key order).
 *
 * Strict grammar, no recursion: nesting costs an array entry, not a stack frame, and ends at
 * `MAX_JSON_DEPTH`.
 *
 * Decision 0263.
 */

/** Deeper than any real message; serde_json, which reads our tapes elsewhere, stops at 128. */
export const MAX_JSON_DEPTH = 1000

type JsonTokenType =
  | 'open-object'
  | 'close-object'
  | 'open-array'
  | 'close-array'
  | 'key'
  | 'string'
  | 'number'
  | 'literal'

export type JsonToken = {
  readonly type: JsonTokenType
  /** Offsets into the text; strings and keys include their quotes. */
  readonly start: number
  readonly end: number
  /** How many containers enclose this token. */
  readonly depth: number
}

export class JsonScanError extends SyntaxError {
  readonly reason: 'syntax' | 'depth'
  readonly offset: number
  constructor(reason: 'syntax' | 'depth', offset: number) {
    super(
      reason === 'depth'
        ? `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`
        : `not JSON at offset ${offset}`,
    )
    this.reason = reason
    this.offset = offset
  }
}

const OBJECT = 1
const ARRAY = 2
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The containers that are open where a scan goes on, after a value in the innermost one. */
export type OpenContainers = readonly ('object' | 'array')[]

/**
 * Calls `visit` for each token of the one JSON value at `from`, and returns the offset just after it. What
 * follows the value is the caller's business: `scanWholeJson` refuses it, repair of glued lines goes on from
 * there.
 */
export function scanJson(
  text: string,
  visit: (token: JsonToken) => void,
  from = 0,
  open: OpenContainers = [],
): number {
  const stack: number[] = open.map((container) => (container === 'object' ? OBJECT : ARRAY))
  let at = skipSpace(text, from)
  let expects: 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'after' =
    open.length > 0 ? 'after' : 'value'
  for (;;) {
    const char = text.charCodeAt(at)
    if (expects === 'after') {
      const container = stack[stack.length - 1]
      if (container === undefined) return at
      at = skipSpace(text, at)
      const next = text.charCodeAt(at)
      if (next === 0x2c) {
        at = skipSpace(text, at + 1)
        expects = container === OBJECT ? 'key' : 'value'
      } else if (next === (container === OBJECT ? 0x7d : 0x5d)) {
        stack.pop()
        visit({
          type: container === OBJECT ? 'close-object' : 'close-array',
          start: at,
          end: at + 1,
          depth: stack.length,
        })
        at += 1
      } else throw new JsonScanError('syntax', at)
      continue
    }
    if (expects === 'key' || expects === 'key-or-close') {
      if (char === 0x7d && expects === 'key-or-close') {
        expects = 'after'
        continue
      }
      const end = stringEnd(text, at)
      visit({ type: 'key', start: at, end, depth: stack.length })
      at = skipSpace(text, end)
      if (text.charCodeAt(at) !== 0x3a) throw new JsonScanError('syntax', at)
      at = skipSpace(text, at + 1)
      expects = 'value'
      continue
    }
    if (char === 0x5d && expects === 'value-or-close') {
      expects = 'after'
      continue
    }
    if (char === 0x7b || char === 0x5b) {
      if (stack.length >= MAX_JSON_DEPTH) throw new JsonScanError('depth', at)
      visit({
        type: char === 0x7b ? 'open-object' : 'open-array',
        start: at,
        end: at + 1,
        depth: stack.length,
      })
      stack.push(char === 0x7b ? OBJECT : ARRAY)
      at = skipSpace(text, at + 1)
      expects = char === 0x7b ? 'key-or-close' : 'value-or-close'
      continue
    }
    const end = scalarEnd(text, at, char)
    visit({
      type: char === 0x22 ? 'string' : isNumberStart(char) ? 'number' : 'literal',
      start: at,
      end,
      depth: stack.length,
    })
    at = end
    expects = 'after'
  }
}

/**
 * As `scanJson`, for a text that must hold one value and white space, nothing else. With `open`, the text is
 * the rest of such a text.
 */
export function scanWholeJson(
  text: string,
  visit: (token: JsonToken) => void,
  open: OpenContainers = [],
): void {
  const end = skipSpace(text, scanJson(text, visit, 0, open))
  if (end !== text.length) throw new JsonScanError('syntax', end)
}

function scalarEnd(text: string, at: number, char: number): number {
  if (char === 0x22) return stringEnd(text, at)
  if (isNumberStart(char)) {
    NUMBER.lastIndex = at
    const match = NUMBER.exec(text)
    if (match === null) throw new JsonScanError('syntax', at)
    return at + match[0].length
  }
  for (const literal of ['true', 'false', 'null'])
    if (text.startsWith(literal, at)) return at + literal.length
  throw new JsonScanError('syntax', at)
}

function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== 0x22) throw new JsonScanError('syntax', start)
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === 0x22) return at + 1
    if (char < 0x20) throw new JsonScanError('syntax', at)
    if (char === 0x5c) at += escapeLength(text, at)
  }
  throw new JsonScanError('syntax', text.length)
}

function escapeLength(text: string, at: number): number {
  const char = text[at + 1]
  if (char === 'u') {
    if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) throw new JsonScanError('syntax', at)
    return 5
  }
  if (char === undefined || !'"\\/bfnrt'.includes(char)) throw new JsonScanError('syntax', at)
  return 1
}

function isNumberStart(char: number): boolean {
  return char === 0x2d || (char >= 0x30 && char <= 0x39)
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const char = text.charCodeAt(at)
    if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return at
    at += 1
  }
}
