/**
 * Writes JSON as Go's encoder does: `<`, `>`, `&`, U+2028 and U+2029 escaped in every string, keys of free
 * objects sorted by their bytes, empty optional fields left out, a half surrogate as U+FFFD. Takes scrubbed
 * values only, so what it gives may go to disk.
 */
import { compareUtf8 } from '../../base/index.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import type { WireValue } from './writable.ts'

const ESCAPED = /[<>&\u2028\u2029]/g

/** One line of a stream file, without its line end. */
export function wireLine(value: WireValue): ScrubbedText {
  return scrubbedText(escaped(JSON.stringify(value)))
}

/** A whole document: indented by two spaces, with a line end. */
export function wireDocument(value: WireValue): ScrubbedText {
  return scrubbedText(`${escaped(JSON.stringify(value, null, 2))}\n`)
}

// Text that is made of scrubbed parts only is scrubbed. This is the only cast in this layer; the types of its
// callers ensure that the parts are scrubbed.
function scrubbedText(text: string): ScrubbedText {
  return text as ScrubbedText
}

function escaped(json: string): string {
  // JSON.stringify writes a half surrogate as an escape; Go would have written the replacement character.
  const whole = /\\ud[89a-f]/.test(json)
    ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd')
    : json
  return whole.replace(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The value, or undefined (which leaves the field out) where Go's `omitempty` would. */
export function unlessEmpty<T extends WireValue>(value: T): T | undefined {
  if (value === null || value === undefined || value === '' || value === 0 || value === false)
    return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (typeof value === 'object' && Object.keys(value).length === 0) return undefined
  return value
}

/** A free object with its keys in byte order, at every level. */
export function sortedKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedKeys) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b))
  return Object.fromEntries(entries.map(([key, field]) => [key, sortedKeys(field)])) as T
}
