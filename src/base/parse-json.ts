/**
 * `JSON.parse` with a bound on nesting. The bound is checked before a value is built: 60 MB of brackets would
 * take gigabytes otherwise. Whatever reads JSON from a file or from the network uses this function.
 *
 * Does not bound the number of values: a wide text takes memory in proportion to its length.
 */
import type { Json } from './canonical-json.ts'
import { refuseTooDeep } from './json-depth.ts'

/**
 * Throws a `JsonScanError` for text that is nested too deep, and a `SyntaxError` for text that is no JSON.
 */
export function parseJson(text: string): Json {
  refuseTooDeep(text)
  return JSON.parse(text)
}

/** `undefined` for text that is no JSON or is nested too deep. */
export function tryParseJson(text: string): Json | undefined {
  if (!mayBeJson(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    // The caller asks whether it is JSON; `undefined` is no JSON value.
    return undefined
  }
}

/**
 * False for text that cannot be JSON by its first and last characters. Much cheaper than an error of
 * `JSON.parse`: a hostile file has a million damaged lines.
 */
export function mayBeJson(text: string): boolean {
  const first = skipBlank(text, 0)
  const end = lastOfJson(text)
  const last = text.charCodeAt(end)
  switch (text.charCodeAt(first)) {
    case 0x7b:
      return last === 0x7d && mayBeObject(text, first)
    case 0x5b:
      return last === 0x5d
    case 0x22:
      return last === 0x22 && end > first
    case 0x74:
    case 0x66:
      return last === 0x65
    case 0x6e:
      return last === 0x6c
    default:
      return last >= 0x30 && last <= 0x39
  }
}

/** Whether a key or the end follows the brace at `at`. */
export function mayBeObject(text: string, at: number): boolean {
  const next = text.charCodeAt(skipBlank(text, at + 1))
  return next === 0x22 || next === 0x7d
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (isBlank(text.charCodeAt(at))) at += 1
  return at
}

function lastOfJson(text: string): number {
  let at = text.length - 1
  while (isBlank(text.charCodeAt(at))) at -= 1
  return at
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
