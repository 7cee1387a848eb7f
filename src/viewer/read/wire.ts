/** Parsed JSON of unknown shape. What is missing or of another type is null or empty, never an exception. */
import { decodeEvents } from '../../base/event-text.ts'
import { fieldsOf, jsonOf, type UnknownObject } from '../../base/json-value.ts'

// Not from the index of base: these files run in the page, and BLAKE3 with them would be too much.
export {
  fieldsOf as objectOf,
  isObject as isWireObject,
  listOf,
  numberOf,
  textOf,
} from '../../base/json-value.ts'

export type WireObject = UnknownObject

/** Undefined for text that is not JSON. */
export function parsed(text: string): unknown {
  return jsonOf(text)
}

/** Text for people: a string as it is, anything else as JSON. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** The text of a payload or chunk, if it is in the line. */
export function inlineText(value: unknown): string | null {
  const { text, events, rest } = fieldsOf(value)
  return typeof text === 'string' ? text : decodeEvents(events, rest)
}
