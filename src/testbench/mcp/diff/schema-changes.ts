/**
 * What changed between two JSON Schemas, field by field, and whether it can break a client.
 *
 * For values that a client *sends*, a narrower schema breaks: a new required field, a removed field, a
 * smaller enum, a tighter bound. For values that it *receives*, a wider one does: a field that may now be
 * missing, a new enum value, a looser bound. Descriptive keywords (title, description, default, examples)
 * never do. Changes that cannot be judged (a pattern, a composition, an unknown keyword) count as breaking.
 */
import { canonicalJson, fieldsOf, isObject, type Json, type JsonObject, listOf } from '../../../base/index.ts'
import type { FieldChange } from './change.ts'

/** `sent`: the client makes such values. `received`: it reads them. */
export type SchemaSide = 'sent' | 'received'

const WORDS = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$schema',
  '$id',
  'deprecated',
  'format',
  'readOnly',
  'writeOnly',
])
/** A larger number permits less. */
const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const NAMED_SCHEMAS = new Set(['$defs', 'definitions', 'patternProperties'])
const MAX_DEPTH = 100

export function schemaChanges(
  before: Json,
  after: Json,
  side: SchemaSide,
  path = '$',
  depth = 0,
): FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return []
  if (!isObject(before) || !isObject(after) || depth > MAX_DEPTH)
    return [changed(path, before, after, breaksAsWhole(before, after, side))]
  const found: FieldChange[] = []
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [left, right] = [memberOf(before, key), memberOf(after, key)]
    if (left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right)) continue
    found.push(...keywordChanges(key, left, right, side, path, depth))
  }
  return found
}

function keywordChanges(
  key: string,
  left: Json | undefined,
  right: Json | undefined,
  side: SchemaSide,
  path: string,
  depth: number,
): readonly FieldChange[] {
  const place = `${path}${step(key)}`
  const narrower = (isNarrower: boolean | null): boolean =>
    isNarrower === null || isNarrower === (side === 'sent')
  const whole = (isNarrower: boolean | null): FieldChange[] => [
    changed(place, left, right, narrower(isNarrower)),
  ]
  if (WORDS.has(key)) return [changed(place, left, right, false)]
  const here = { side, path: place, depth }
  // A removed field breaks both sides; a new one, neither: `required` decides whether it must be present.
  if (key === 'properties') return memberChanges(fieldsOf(left), fieldsOf(right), true, here)
  if (key === 'required') return requiredChanges(listOf(left), listOf(right), side, place)
  // A definition counts where it is referenced, and that reference must have been added or removed as well.
  if (NAMED_SCHEMAS.has(key)) return memberChanges(fieldsOf(left), fieldsOf(right), false, here)
  if (key === 'items' && isObject(left) && isObject(right))
    return schemaChanges(left, right, side, place, depth + 1)
  if (key === 'additionalProperties') return openness(left, right, side, place, depth)
  if (key === 'type') return whole(subsetOrder(typesOf(left), typesOf(right)))
  if (key === 'enum')
    return whole(
      subsetOrder(
        left === undefined ? null : spelled(listOf(left)),
        right === undefined ? null : spelled(listOf(right)),
      ),
    )
  if (LOWER_BOUNDS.has(key)) return whole(boundOrder(left, right, 1))
  if (UPPER_BOUNDS.has(key)) return whole(boundOrder(left, right, -1))
  if (key === 'uniqueItems') return whole(right === true)
  return whole(null)
}

/** Schemas by name. `removalBreaks`: whether a client can fail because a name is gone. */
function memberChanges(
  before: JsonObject,
  after: JsonObject,
  removalBreaks: boolean,
  { side, path, depth }: SchemaPlace,
): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [left, right] = [memberOf(before, name), memberOf(after, name)]
    const place = `${path}${step(name)}`
    if (left === undefined || right === undefined)
      return [changed(place, left, right, removalBreaks && right === undefined)]
    return schemaChanges(left, right, side, place, depth + 1)
  })
}

type SchemaPlace = { readonly side: SchemaSide; readonly path: string; readonly depth: number }

function requiredChanges(
  before: readonly Json[],
  after: readonly Json[],
  side: SchemaSide,
  path: string,
): FieldChange[] {
  const [left, right] = [spelled(before), spelled(after)]
  return [
    ...[...right]
      .filter((name) => !left.has(name))
      .map((name) => changed(path, undefined, JSON.parse(name), side === 'sent')),
    ...[...left]
      .filter((name) => !right.has(name))
      .map((name) => changed(path, JSON.parse(name), undefined, side === 'received')),
  ]
}

function openness(
  left: Json | undefined,
  right: Json | undefined,
  side: SchemaSide,
  path: string,
  depth: number,
): FieldChange[] {
  if (isObject(left) && isObject(right)) return schemaChanges(left, right, side, path, depth + 1)
  const width = (value: Json | undefined): number => (value === false ? 0 : isObject(value) ? 1 : 2)
  const [before, after] = [width(left), width(right)]
  // Open by default: stating it changes nothing.
  if (before === after) return [changed(path, left, right, false)]
  return [changed(path, left, right, after < before === (side === 'sent'))]
}

/**
 * True if the second permits less than the first, false if more, null if neither. A null set permits
 * everything.
 */
function subsetOrder(before: ReadonlySet<string> | null, after: ReadonlySet<string> | null): boolean | null {
  if (before === null) return true
  if (after === null) return false
  if ([...after].every((item) => before.has(item))) return true
  return [...before].every((item) => after.has(item)) ? false : null
}

function boundOrder(left: Json | undefined, right: Json | undefined, direction: 1 | -1): boolean | null {
  if (left === undefined) return true
  if (right === undefined) return false
  return typeof left === 'number' && typeof right === 'number' ? (right - left) * direction > 0 : null
}

function typesOf(value: Json | undefined): ReadonlySet<string> | null {
  if (value === undefined) return null
  const types = new Set((Array.isArray(value) ? listOf(value) : [value]).map((type) => String(type)))
  // Every integer is a number.
  if (types.has('number')) types.add('integer')
  return types
}

function spelled(items: readonly Json[]): ReadonlySet<string> {
  return new Set(items.map((item) => canonicalJson(item)))
}

/** `true` and `{}` permit everything, `false` nothing. */
function breaksAsWhole(before: Json, after: Json, side: SchemaSide): boolean {
  const width = (value: Json): number =>
    value === false ? 0 : value === true || (isObject(value) && Object.keys(value).length === 0) ? 2 : 1
  const [left, right] = [width(before), width(after)]
  return left === right || right < left === (side === 'sent')
}

function changed(
  path: string,
  before: Json | undefined,
  after: Json | undefined,
  breaking: boolean,
): FieldChange {
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  return { path, change, before: before ?? null, after: after ?? null, breaking }
}

function memberOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function step(key: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 200))}]`
}
