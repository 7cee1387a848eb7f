/** Reads parsed JSON of unknown shape: what is missing or of another type is null or empty, never an exception. */
export type WireObject = { readonly [name: string]: unknown }

export function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : NOTHING
}

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Undefined for text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Text for people: a string as it is, anything else as JSON. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const NOTHING: WireObject = {}
