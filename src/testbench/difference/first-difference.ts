/**
 * Where two contents differ first, and the values on both sides: for JSON the field, for other text the line,
 * for bytes the byte. For people: values are short, and of two long texts only the differing part is shown.
 */
import { type Json, textOrNull } from '../../base/index.ts'
import { type FieldDifference, jsonDifferences } from '../../fidelity/index.ts'
import { byteDifference, EXCERPT_CHARS, textDifference } from '../../fidelity/payload-difference.ts'
import { cut } from '../../fidelity/spelling.ts'
import { normalisePlaceholders } from '../../scrub/index.ts'

/** `where` follows "differs": `at $.model`, `first at line 3`. `path` is the field, or the same words. */
export type Difference = {
  readonly where: string
  readonly path: string
  readonly expected: string
  readonly actual: string
}

/** Longer JSON that one side lacks is cut. */
const MAX_SHOWN = 120

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
  const briefly = (value: Json): string => cut(JSON.stringify(value), MAX_SHOWN)
  if (change === 'added') return ['nothing', briefly(actual)]
  if (change === 'removed') return [briefly(expected), 'nothing']
  const line =
    typeof expected === 'string' && typeof actual === 'string' ? differingLine(expected, actual) : null
  return line === null ? [briefly(expected), briefly(actual)] : [line.expected, line.actual]
}

function differingLine(before: string, now: string): Difference | null {
  // A placeholder with another length or number represents the same secret, and so does one padded with
  // blanks.
  const linesOf = (text: string): string[] =>
    normalisePlaceholders(text)
      .replace(/(<redacted:[^<>]*>) +/g, '$1')
      .split('\n')
  const [recorded, live] = [linesOf(before), linesOf(now)]
  const at = recorded.findIndex((line, index) => line !== live[index])
  const line = at < 0 ? recorded.length : at
  if (at < 0 && live.length === recorded.length) return null
  const [one, other] = [recorded[line], live[line]]
  const whole = (text: string | undefined): string | null =>
    text === undefined ? null : cut(text, EXCERPT_CHARS)
  const parts =
    one === undefined || other === undefined
      ? { expected: whole(one), actual: whole(other) }
      : textDifference(one, other)
  const where = `first at line ${line + 1}`
  return { where, path: where, expected: quoted(parts.expected), actual: quoted(parts.actual) }
}

function quoted(part: string | null): string {
  return part === null ? 'the end' : JSON.stringify(part)
}

function differingByte(expected: Uint8Array, actual: Uint8Array): Difference {
  const { offset } = byteDifference(expected, actual)
  const byte = (bytes: Uint8Array): string =>
    offset < bytes.byteLength ? `0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}` : 'the end'
  const where = `first at byte ${offset}`
  return { where, path: where, expected: byte(expected), actual: byte(actual) }
}
