/** Looks into JSON of unknown shape without believing any of it: what is not there, or is of another type, is null or empty. */
import type { Json } from '../../base/index.ts'

export type JsonObject = { readonly [key: string]: Json }

const NOTHING: JsonObject = {}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isObject)
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** JSON text as a value; undefined where it is none. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller has another use for the text.
    return undefined
  }
}
