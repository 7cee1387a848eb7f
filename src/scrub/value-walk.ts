/**
 * Scrubs every string and byte array in a plain value, with the field-name rules. A value without a secret is
 * returned as the same object.
 */
import { MAX_JSON_DEPTH } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import { SHORTEST_CODES } from './code-alphabet.ts'
import { applyEdits } from './edit.ts'
import type { FieldSecrets } from './field-secrets.ts'
import type { Side } from './scrubber.ts'

export type WalkTools = {
  readonly secrets: FieldSecrets
  text(text: string, side: Side, place: string): string
  jsonText(text: string, side: Side, place: string): string
  bytes(bytes: Uint8Array, side: Side, place: string): Uint8Array
}

export function scrubValue(value: unknown, side: Side, place: string, tools: WalkTools): unknown {
  return walk(value, side, place === '' ? '$' : place, null, 0, tools)
}

function walk(
  value: unknown,
  side: Side,
  place: string,
  field: string | null,
  depth: number,
  tools: WalkTools,
): unknown {
  if (typeof value === 'string') return scrubString(value, side, place, field, tools)
  if (typeof value === 'number' && field !== null && tools.secrets.coversNumbers(field))
    return tools.secrets.wholeField(field, String(value), place)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return tools.bytes(value, side, place)
  if (depth >= MAX_JSON_DEPTH) {
    throw new RepriseError('scrub-too-deep', `a value is nested deeper than ${MAX_JSON_DEPTH} levels`, {
      hint: 'pass it as JSON text or bytes',
    })
  }
  if (Array.isArray(value)) {
    const isWhole = field !== null && tools.secrets.coversNumbers(field)
    if (!isWhole && value.length >= SHORTEST_CODES && value.every(isByte))
      return scrubNumbers(value, side, place, tools)
    const items = value.map((item, index) => walk(item, side, `${place}[${index}]`, field, depth + 1, tools))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  return walkObject(value, side, place, field, depth, tools)
}

function isByte(item: unknown): boolean {
  return typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256
}

/** Numbers that may be the bytes of a secret: its placeholder is one item. */
function scrubNumbers(
  value: readonly unknown[],
  side: Side,
  place: string,
  tools: WalkTools,
): readonly unknown[] {
  const text = value.join(',')
  const done = tools.text(text, side, place)
  if (done === text) return value
  return done.split(',').map((item) => (/^\d+$/.test(item) ? Number(item) : item))
}

function walkObject(
  value: object,
  side: Side,
  place: string,
  field: string | null,
  depth: number,
  tools: WalkTools,
): object {
  let changed = false
  const inherited = 'type' in value || 'description' in value || '$ref' in value ? null : field
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const name = tools.secrets.isSecret(key, side) ? key : inherited
    const scrubbedKey = tools.text(key, side, `${place} key`)
    const scrubbedItem = walk(item, side, `${place}.${key}`, name, depth + 1, tools)
    if (scrubbedKey !== key || scrubbedItem !== item) changed = true
    return [scrubbedKey, scrubbedItem]
  })
  return changed ? Object.fromEntries(entries) : value
}

function scrubString(
  value: string,
  side: Side,
  place: string,
  field: string | null,
  tools: WalkTools,
): string {
  if (field !== null) return applyEdits(value, tools.secrets.fieldEdits(field, value, side, place))
  return /^\s*[[{]/.test(value) ? tools.jsonText(value, side, place) : tools.text(value, side, place)
}
