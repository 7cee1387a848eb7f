/**
 * Where two JSON values differ, down to the field. Bounded in depth and in number: the first differences are
 * the ones that help.
 */
import type { Json } from '../base/index.ts'
import { jsonText } from './json-text.ts'
import { bounded } from './spelling.ts'

/** A value that one side does not have is null there; `change` distinguishes it from a null. */
export type FieldDifference = {
  readonly path: string
  readonly change: 'changed' | 'added' | 'removed'
  readonly expected: Json
  readonly actual: Json
}

const MAX_DIFFERENCES = 20
const MAX_DEPTH = 200

export type JsonDifferences = { readonly differences: readonly FieldDifference[]; readonly more: boolean }

export function jsonDifferences(expected: Json, actual: Json): JsonDifferences {
  const differences: FieldDifference[] = []
  const more = !collect(expected, actual, '$', 0, differences)
  return { differences, more }
}

/** False once the list is full. */
function collect(
  expected: Json,
  actual: Json,
  path: string,
  depth: number,
  found: FieldDifference[],
): boolean {
  if (Object.is(expected, actual)) return true
  if (depth < MAX_DEPTH && Array.isArray(expected) && Array.isArray(actual))
    return collectItems(expected, actual, path, depth, found)
  if (depth < MAX_DEPTH && isFields(expected) && isFields(actual))
    return collectFields(expected, actual, path, depth, found)
  if (jsonText(expected) === jsonText(actual)) return true
  return add(found, { path, change: 'changed', expected: bounded(expected), actual: bounded(actual) })
}

function collectItems(
  expected: readonly Json[],
  actual: readonly Json[],
  path: string,
  depth: number,
  found: FieldDifference[],
): boolean {
  const length = Math.max(expected.length, actual.length)
  for (let at = 0; at < length; at += 1) {
    const place = `${path}[${at}]`
    const [left, right] = [expected[at], actual[at]]
    if (left === undefined) {
      if (!add(found, { path: place, change: 'added', expected: null, actual: bounded(right ?? null) }))
        return false
    } else if (right === undefined) {
      if (!add(found, { path: place, change: 'removed', expected: bounded(left), actual: null })) return false
    } else if (!collect(left, right, place, depth + 1, found)) return false
  }
  return true
}

type JsonFields = { readonly [key: string]: Json }

function collectFields(
  expected: JsonFields,
  actual: JsonFields,
  path: string,
  depth: number,
  found: FieldDifference[],
): boolean {
  for (const key of Object.keys(expected)) {
    const place = path + step(key)
    const [left, right] = [expected[key] ?? null, actual[key]]
    if (!Object.hasOwn(actual, key)) {
      if (!add(found, { path: place, change: 'removed', expected: bounded(left), actual: null })) return false
    } else if (!collect(left, right ?? null, place, depth + 1, found)) return false
  }
  for (const key of Object.keys(actual)) {
    if (Object.hasOwn(expected, key)) continue
    if (
      !add(found, {
        path: path + step(key),
        change: 'added',
        expected: null,
        actual: bounded(actual[key] ?? null),
      })
    )
      return false
  }
  return true
}

function step(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 200))}]`
}

function add(found: FieldDifference[], difference: FieldDifference): boolean {
  if (found.length >= MAX_DIFFERENCES) return false
  found.push(difference)
  return true
}

function isFields(value: Json): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
