/**
 * Compares a value with a text in which each of its characters may have any common spelling: itself, escapes
 * of JSON and of programs at any depth, URL-encoded any number of times, UTF-8 read byte by byte, an entity of
 * HTML, a blank as `+`, and as quoted-printable for characters that it must encode.
 */
import { entityEnd, entityStart } from './entities.ts'
import type { Input } from './input.ts'

/** One character of the value. */
type Letter = { readonly raw: string; readonly utf8: string }

export type Spelled = {
  readonly value: string
  readonly isAscii: boolean
  /** Null for a value of ASCII: its letters are its characters. One array each would fill the memory. */
  readonly letters: readonly Letter[] | null
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }

const ASCII: readonly Letter[] = Array.from({ length: 128 }, (_, code) => ({
  raw: String.fromCharCode(code),
  utf8: String.fromCharCode(code),
}))

function letterOf(char: string): Letter {
  return ASCII[char.charCodeAt(0)] ?? { raw: char, utf8: char }
}

export function spelled(value: string): Spelled {
  if (/^[\x00-\x7f]*$/.test(value)) return { value, isAscii: true, letters: null }
  return {
    value,
    isAscii: false,
    letters: [...value].map((raw) =>
      raw < '\u0080' ? letterOf(raw) : { raw, utf8: Buffer.from(raw).toString('latin1') },
    ),
  }
}

export function letterCount({ value, letters }: Spelled): number {
  return letters === null ? value.length : letters.length
}

function letterAt({ value, letters }: Spelled, index: number): Letter | undefined {
  return letters === null ? ASCII[value.charCodeAt(index)] : letters[index]
}

export function rawLetter(known: Spelled, index: number): string {
  return letterAt(known, index)?.raw ?? ''
}

/** The first letters of a value. */
export function openingOf({ value, isAscii, letters }: Spelled, count: number): Spelled {
  if (letters === null) return { value: value.slice(0, count), isAscii, letters }
  return { value, isAscii, letters: letters.slice(0, count) }
}

/**
 * By code: 1 for the characters with which a spelling of the value can begin, 0 for all others below 256. That
 * is its first letter, its first byte in UTF-8, or the first character of an escape.
 */
export function beginnings(known: Spelled): Uint8Array {
  const table = new Uint8Array(256)
  const { raw, utf8 } = letterAt(known, 0) ?? { raw: '', utf8: '' }
  const blank = raw === '+' ? ' ' : '+'
  for (const char of `\\%&=${raw === ' ' || raw === '+' ? blank : ''}${raw.slice(0, 1)}${utf8.slice(0, 1)}`) {
    const code = char.charCodeAt(0)
    if (code < table.length) table[code] = 1
  }
  return table
}

/** The end of the spelling of the letters from `from` on, which begins at `at`; -1 if there is none. */
export function spelledEnd(input: Input, at: number, known: Spelled, from: number): number {
  const { text } = input
  const count = letterCount(known)
  let place = at
  let slashes = 0
  for (let index = from; index < count; index += 1) {
    const letter = letterAt(known, index)
    if (letter === undefined) return -1
    if (letter.raw === '\\' && slashes > 0) {
      slashes -= 1
      continue
    }
    if (place >= text.length) {
      input.touchedEnd = true
      return -1
    }
    if (slashes === 0 && letter.raw === '=' && text.startsWith('=3', place)) {
      const end = quotedEqualsEnd(input, place, rawLetter(known, index + 1) + rawLetter(known, index + 2))
      if (end < 0) return -1
      place = end
      continue
    }
    if (slashes === 0 && letter.raw === '&') {
      const end = entityEnd(input, place, '&')
      // Plain text, if the value goes on with the same characters.
      if (end >= 0 && !continuesWith(known, index, text.slice(place, end))) {
        place = end
        continue
      }
    }
    if (slashes === 0 && letter.raw !== '\\' && text.startsWith(letter.raw, place)) {
      place += letter.raw.length
      continue
    }
    const run = place
    while (text.charCodeAt(place) === 0x5c) place += 1
    slashes += place - run
    if (place >= text.length && slashes > 0) {
      input.touchedEnd = true
      if (letter.raw !== '\\') return -1
    }
    if (letter.raw === '\\' && slashes > 0) {
      slashes -= 1
      continue
    }
    const end = letterEnd(input, place, letter, slashes)
    if (end < 0) return -1
    place = end
    slashes = 0
  }
  return place
}

function continuesWith(known: Spelled, index: number, text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (rawLetter(known, index + at) !== text[at]) return false
  return true
}

function letterEnd(input: Input, at: number, { raw, utf8 }: Letter, slashes: number): number {
  const { text } = input
  if (slashes > 0) {
    if (ESCAPES[raw] !== undefined && text[at] === ESCAPES[raw]) return at + 1
    let place = at
    for (let unit = 0; unit < raw.length; unit += 1) {
      if (unit > 0) {
        const run = place
        while (text.charCodeAt(place) === 0x5c) place += 1
        if (place === run) return cut(input, place)
      }
      const hex = `u${raw.charCodeAt(unit).toString(16).padStart(4, '0')}`
      if (!input.startsWithAnyCase(hex, place)) {
        place = -1
        break
      }
      place += 5
    }
    if (place >= 0) return place
    const code = codeEscapeEnd(input, at, utf8)
    if (code >= 0) return code
    if (isLatin1(raw)) {
      const single = codeEscapeEnd(input, at, raw)
      if (single >= 0) return single
    }
  }
  if (input.startsWith(raw, at)) return at + raw.length
  if (utf8 !== raw && input.startsWith(utf8, at)) return at + utf8.length
  if (text[at] === '%') {
    const end = percentEnd(input, at, utf8)
    return end < 0 && isLatin1(raw) ? percentEnd(input, at, raw) : end
  }
  if (text[at] === '&') return entityEnd(input, at, raw)
  if (text[at] === '=' && raw >= '\u0080') return quotedEnd(input, at, utf8)
  if ((raw === ' ' && text[at] === '+') || (raw === '+' && text[at] === ' ')) return at + 1
  return -1
}

/** A character beyond ASCII that has one byte in Latin-1. */
function isLatin1(raw: string): boolean {
  return raw.length === 1 && raw >= '\u0080' && raw <= '\u00ff'
}

/** `\\xc3\\xa4`, from after the first backslashes on. */
function codeEscapeEnd(input: Input, at: number, bytes: string): number {
  let place = at
  for (let index = 0; index < bytes.length; index += 1) {
    if (index > 0) {
      const run = place
      while (input.text.charCodeAt(place) === 0x5c) place += 1
      if (place === run) return cut(input, place)
    }
    if (!input.startsWithAnyCase(`x${hexOf(bytes, index)}`, place)) return -1
    place += 3
  }
  return place
}

function codeEscapeStart(text: string, at: number, bytes: string): number {
  let place = at
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    if (index < bytes.length - 1) place = beforeSlashes(text, place)
    if (text.slice(Math.max(0, place - 3), place).toLowerCase() !== `x${hexOf(bytes, index)}`) return -1
    if (text.charAt(place - 4) !== '\\') return -1
    place -= 3
  }
  return place
}

function cut(input: Input, at: number): number {
  if (at >= input.text.length) input.touchedEnd = true
  return -1
}

function percentEnd(input: Input, at: number, utf8: string): number {
  let place = at
  for (let index = 0; index < utf8.length; index += 1) {
    if (input.char(place) !== '%') return -1
    place += 1
    const hex = hexOf(utf8, index)
    while (!input.startsWithAnyCase(hex, place)) {
      if (!input.startsWith('25', place)) return -1
      place += 2
    }
    place += 2
  }
  return place
}

/**
 * The text has `=3`: in quoted-printable `=` is `=3D`. It is plain text, if the value goes on with the same
 * characters (`next`), or ends.
 */
function quotedEqualsEnd(input: Input, at: number, next: string): number {
  const { text } = input
  if (next === '') return at + 1
  if (at + 2 >= text.length) return cut(input, at + 2)
  return text[at + 2]?.toUpperCase() === 'D' && next.toUpperCase() !== '3D' ? at + 3 : at + 1
}

/** The bytes of a letter beyond ASCII in quoted-printable. */
function quotedEnd(input: Input, at: number, utf8: string): number {
  let place = at
  for (let index = 0; index < utf8.length; index += 1) {
    if (!input.startsWithAnyCase(`=${hexOf(utf8, index)}`, place)) return -1
    place += 3
  }
  return place
}

function hexOf(utf8: string, index: number): string {
  return utf8.charCodeAt(index).toString(16).padStart(2, '0')
}

/** The beginning of the spelling of the letters before `to`, which ends at `at`; -1 if there is none. */
export function spelledStart(text: string, at: number, known: Spelled, to: number): number {
  let place = at
  let slashes = 0
  for (let index = to - 1; index >= 0; index -= 1) {
    const letter = letterAt(known, index)
    if (letter === undefined) return -1
    if (letter.raw === '\\') {
      if (slashes > 0) {
        slashes -= 1
        continue
      }
      const run = beforeSlashes(text, place)
      if (run < place) {
        slashes = place - run - 1
        place = run
        continue
      }
    }
    const start = letterStart(text, place, letter)
    if (start < 0) return -1
    place = start
    slashes = 0
    // Backslashes before the first letter may belong to the text before the value.
    const mayBeEscaped = letter.raw === '"' || letter.raw === '/' || (index > 0 && !isAlnum(letter.raw))
    if (!mayBeEscaped && !isEscape(text, place, letter)) continue
    const run = beforeSlashes(text, place)
    slashes = mayBeEscaped ? place - run : Math.max(0, place - run - 1)
    place = run
  }
  return place
}

/** True if the text at `at` is an escape of the letter, with its backslashes before `at`. */
function isEscape(text: string, at: number, { raw }: Letter): boolean {
  if (text.startsWith(raw, at) || text.charAt(at - 1) !== '\\') return false
  return text.charAt(at) === ESCAPES[raw] || text.charAt(at) === 'u' || text.charAt(at) === 'x'
}

function isAlnum(raw: string): boolean {
  return /^[A-Za-z0-9]$/.test(raw)
}

function beforeSlashes(text: string, at: number): number {
  let place = at
  while (place > 0 && text.charCodeAt(place - 1) === 0x5c) place -= 1
  return place
}

function letterStart(text: string, at: number, { raw, utf8 }: Letter): number {
  if (text.charAt(at - 1) === ';') {
    const start = entityStart(text, at, raw)
    if (start >= 0) return start
  }
  if (raw !== '\\' && text.endsWith(raw, at)) return at - raw.length
  if (utf8 !== raw && text.endsWith(utf8, at)) return at - utf8.length
  const short = ESCAPES[raw]
  if (short !== undefined && text.charAt(at - 1) === short && text.charAt(at - 2) === '\\') return at - 1
  let place = at
  for (let unit = raw.length - 1; unit >= 0; unit -= 1) {
    if (unit < raw.length - 1) place = beforeSlashes(text, place)
    const hex = `u${raw.charCodeAt(unit).toString(16).padStart(4, '0')}`
    if (text.slice(Math.max(0, place - 5), place).toLowerCase() !== hex || text.charAt(place - 6) !== '\\') {
      place = -1
      break
    }
    place -= 5
  }
  if (place >= 0) return place
  for (const bytes of isLatin1(raw) ? [utf8, raw] : [utf8]) {
    const code = codeEscapeStart(text, at, bytes)
    if (code >= 0) return code
    const percent = percentStart(text, at, bytes)
    if (percent >= 0) return percent
  }
  const quoted = raw === '=' || raw >= '\u0080' ? quotedStart(text, at, utf8) : -1
  if (quoted >= 0) return quoted
  const isBlank = (raw === ' ' && text.charAt(at - 1) === '+') || (raw === '+' && text.charAt(at - 1) === ' ')
  return isBlank ? at - 1 : -1
}

function percentStart(text: string, at: number, bytes: string): number {
  let place = at
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    if (text.slice(Math.max(0, place - 2), place).toLowerCase() !== hexOf(bytes, index)) return -1
    place -= 2
    while (text.endsWith('25', place)) place -= 2
    if (text.charAt(place - 1) !== '%') return -1
    place -= 1
  }
  return place
}

function quotedStart(text: string, at: number, utf8: string): number {
  let place = at
  for (let index = utf8.length - 1; index >= 0; index -= 1) {
    if (text.slice(Math.max(0, place - 3), place).toLowerCase() !== `=${hexOf(utf8, index)}`) return -1
    place -= 3
  }
  return place
}
