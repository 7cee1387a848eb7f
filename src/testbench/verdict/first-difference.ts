/**
 * Where two contents differ first, and what stands there on both sides: of JSON the field, of other text the line, of bytes the byte. Made for people: what
 * is shown is short, and of two long texts it is the part in which they differ.
 */
import { type Json, textOrNull } from '../../base/index.ts'
import { type FieldDifference, jsonDifferences } from '../../fidelity/index.ts'
import { normalisePlaceholders } from '../../scrub/index.ts'

/** `where` reads after "differs": `at $.model`, `first at line 3`. `path` is the field, or the same words. */
export type Difference = { readonly where: string; readonly path: string; readonly expected: string; readonly actual: string }

const MAX_SHOWN = 120
/** So much of what is equal is shown before the first difference of two long texts. */
const LEAD = 40

export function firstDifference(expected: Uint8Array, actual: Uint8Array): Difference | null {
  const [before, now] = [textOrNull(expected), textOrNull(actual)]
  return before === null || now === null ? differingByte(expected, actual) : differingLine(before, now)
}

export function firstJsonDifference(expected: Json, actual: Json): Difference | null {
  const [first] = jsonDifferences(expected, actual).differences
  if (first === undefined) return null
  const [before, now] = bothSides(first)
  return { where: `at ${first.path}`, path: first.path, expected: before, actual: now }
}

function bothSides({ change, expected, actual }: FieldDifference): readonly [string, string] {
  if (change === 'added') return ['nothing', briefly(actual)]
  if (change === 'removed') return [briefly(expected), 'nothing']
  return typeof expected === 'string' && typeof actual === 'string' ? sideBySide(expected, actual) : [briefly(expected), briefly(actual)]
}

function briefly(value: Json): string {
  if (typeof value === 'string') return shown(value, 0)
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function differingLine(before: string, now: string): Difference | null {
  // A placeholder that says another length or number stands for the same secret, and so does one that was filled up with blanks.
  const linesOf = (text: string): string[] =>
    normalisePlaceholders(text)
      .replace(/(<redacted:[^<>]*>) +/g, '$1')
      .split('\n')
  const [recorded, live] = [linesOf(before), linesOf(now)]
  const at = recorded.findIndex((line, index) => line !== live[index])
  const line = at < 0 ? recorded.length : at
  if (at < 0 && live.length === recorded.length) return null
  const [expected, actual] = sideBySide(recorded[line], live[line])
  const where = `first at line ${line + 1}`
  return { where, path: where, expected, actual }
}

function differingByte(expected: Uint8Array, actual: Uint8Array): Difference {
  const at = equalLength(expected, actual)
  const byte = (bytes: Uint8Array): string => (at < bytes.byteLength ? `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}` : 'the end')
  const where = `first at byte ${at}`
  return { where, path: where, expected: byte(expected), actual: byte(actual) }
}

function sideBySide(expected: string | undefined, actual: string | undefined): readonly [string, string] {
  const same = equalLength(expected ?? '', actual ?? '')
  const longest = Math.max(expected?.length ?? 0, actual?.length ?? 0)
  const from = longest <= MAX_SHOWN ? 0 : Math.max(0, same - LEAD)
  return [shown(expected, from), shown(actual, from)]
}

function shown(text: string | undefined, from: number): string {
  if (text === undefined) return 'the end'
  const part = text.slice(from, from + MAX_SHOWN)
  return JSON.stringify(`${from > 0 ? '…' : ''}${part}${from + MAX_SHOWN < text.length ? '…' : ''}`)
}

function equalLength(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  const shorter = Math.min(a.length, b.length)
  let at = 0
  while (at < shorter && a[at] === b[at]) at += 1
  return at
}
