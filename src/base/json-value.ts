/**
 * Reads a parsed JSON value of unknown shape: a member that is missing or of another type is null or empty,
 * never an exception.
 *
 * The overloads return `Json` for what is known to be JSON and `unknown` for anything else, so no caller
 * needs a cast.
 */
import type { Json } from './canonical-json.ts'
import { parseJson } from './parse-json.ts'

export type JsonObject = { readonly [name: string]: Json }
export type UnknownObject = { readonly [name: string]: unknown }

/** True for an object with named members: not null, not a list. */
export function isObject(value: unknown): value is UnknownObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object; of anything else, none. */
export function fieldsOf(value: Json | undefined): JsonObject
export function fieldsOf(value: unknown): UnknownObject
export function fieldsOf(value: unknown): UnknownObject {
  return isObject(value) ? value : NOTHING
}

/** The items of a list; of anything else, none. */
export function listOf(value: Json | undefined): readonly Json[]
export function listOf(value: unknown): readonly unknown[]
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The objects among the items of a list. */
export function objectsOf(value: Json | undefined): readonly JsonObject[]
export function objectsOf(value: unknown): readonly UnknownObject[]
export function objectsOf(value: unknown): readonly UnknownObject[] {
  return listOf(value).filter(isObject)
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A finite number; null for anything else. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** True for a whole number that fits into 32 bits without a sign. */
export function isU32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 4294967295
}

/**
 * True for a whole number that fits into 64 bits without a sign. Above 2^53 the number is the nearest that
 * JavaScript has.
 */
export function isU64(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 64
}

/** The value of a JSON text; undefined for text that is not JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    // Not JSON, and the caller has an answer for that.
    return undefined
  }
}

const NOTHING: UnknownObject = {}
