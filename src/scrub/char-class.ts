/**
 * Character classes as lookup tables over the low byte, and the two loops that every matcher uses. No regular
 * expressions, no backtracking.
 */

export type CharClass = Uint8Array

export function charClass(...parts: readonly string[]): CharClass {
  const table = new Uint8Array(256)
  for (const part of parts) {
    if (part.length === 3 && part[1] === '-')
      for (let code = part.charCodeAt(0); code <= part.charCodeAt(2); code += 1) table[code] = 1
    else for (const char of part) table[char.charCodeAt(0)] = 1
  }
  return table
}

/** The characters of a class, in order. */
export function charsOf(table: CharClass): string {
  let chars = ''
  for (let code = 0; code < table.length; code += 1) if (table[code] === 1) chars += String.fromCharCode(code)
  return chars
}

export const LOWER = charClass('a-z')
export const UPPER = charClass('A-Z')
export const DIGIT = charClass('0-9')
export const HEX = charClass('0-9', 'a-f', 'A-F')
export const ALNUM = charClass('a-z', 'A-Z', '0-9')
export const UPPER_DIGIT = charClass('A-Z', '0-9')
/** base64url: the characters of most services' tokens. */
export const TOKEN = charClass('a-z', 'A-Z', '0-9', '_-')
export const DOTTED = charClass('a-z', 'A-Z', '0-9', '._-')
export const BASE64 = charClass('a-z', 'A-Z', '0-9', '+/')
export const BASE64_PADDED = charClass('a-z', 'A-Z', '0-9', '+/=')
export const SPACE = charClass(' \t\r\n')

export function isIn(table: CharClass, text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 256 && table[code] === 1
}

/** The end of the run of such characters that begins at `at`; stops after `limit` characters. */
export function runEnd(table: CharClass, text: string, at: number, limit = Number.POSITIVE_INFINITY): number {
  const stop = Math.min(text.length, at + limit)
  let end = at
  while (end < stop && isIn(table, text, end)) end += 1
  return end
}

export function someIn(table: CharClass, text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (isIn(table, text, at)) return true
  return false
}
