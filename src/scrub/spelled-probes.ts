/**
 * The texts by which a value is found in whatever spelling: four characters that no encoding changes, if the
 * value has so many in a row. Otherwise fewer of them, with each beginning that a spelling of the next letters
 * can have.
 */
import { inertRun } from './known-index.ts'
import { letterCount, rawLetter, type Spelled } from './spelling.ts'

export type SpelledProbes = {
  /** The letter that the probes begin with; -1 if the value has none that no encoding changes. */
  readonly letter: number
  readonly probes: readonly string[]
}

/** Each probe has `length` characters. */
export function spelledProbes(known: Spelled, length: number): SpelledProbes {
  for (let run = length; run > 0; run -= 1) {
    const letter = inertRun(known, 0, run)
    if (letter < 0 || letter + length > letterCount(known)) continue
    let plain = ''
    for (let at = letter; at < letter + run; at += 1) plain += rawLetter(known, at)
    const probes = [...beginnings(known, letter + run, length - run)].map((rest) => plain + rest)
    return { letter, probes }
  }
  return { letter: -1, probes: [] }
}

/** The first `length` characters of all spellings of the letters from `at` on. */
function beginnings(known: Spelled, at: number, length: number): Set<string> {
  const found = new Set<string>()
  if (length === 0) return found.add('')
  for (const spelling of spellings(rawLetter(known, at))) {
    if (spelling.length >= length) {
      found.add(spelling.slice(0, length))
      continue
    }
    for (const rest of beginnings(known, at + 1, length - spelling.length)) found.add(spelling + rest)
  }
  return found
}

const SHORT: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }
const NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** How a letter can be written; what is longer than a probe is cut. */
function spellings(raw: string): readonly string[] {
  if (/^[A-Za-z0-9]$/.test(raw)) return [raw]
  const utf8 = Buffer.from(raw)
  const codes = new Set([utf8[0] ?? 0, raw.charCodeAt(0)].filter((code) => code < 256))
  const hex = [
    ...bothCases(raw.charCodeAt(0).toString(16).padStart(4, '0')).map((digits) => `u${digits}`),
    ...[...codes].flatMap((code) => bothCases(hexOf(code))).map((digits) => `x${digits}`),
  ]
  const escaped = [raw, SHORT[raw] ?? raw, ...hex].flatMap((end) => [`\\${end}`, `\\\\${end}`])
  return [
    raw,
    utf8.toString('latin1'),
    ...escaped,
    '\\\\\\',
    '%25',
    ...[...codes].flatMap((code) => bothCases(`%${hexOf(code)}`)),
    ...[...codes].flatMap((code) => bothCases(`=${hexOf(code)}`)),
    ...['&#0', '&#x', '&#X', `&#${raw.codePointAt(0)}`],
    ...(NAMES[raw] === undefined ? [] : bothCases(`&${NAMES[raw]}`)),
    ...(raw === ' ' ? ['+'] : []),
    ...(raw === '+' ? [' '] : []),
  ]
}

function bothCases(text: string): readonly string[] {
  return [text, text.toUpperCase()]
}

function hexOf(code: number): string {
  return code.toString(16).padStart(2, '0')
}
