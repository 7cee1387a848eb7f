/**
 * `JSON.parse` with a bound on nesting. The bound is checked before a value is built: 60 MB of brackets would
 * take gigabytes otherwise. Whatever reads JSON from a file or from the network uses this function.
 *
 * Does not bound the number of values: a wide text takes memory in proportion to its length.
 */
import type { Json } from './canonical-json.ts'
import { refuseTooDeep } from './json-depth.ts'

/**
 * Throws a `JsonScanError` for text that is nested too deep, and a `SyntaxError` for text that is no JSON.
 */
export function parseJson(text: string): Json {
  refuseTooDeep(text)
  return JSON.parse(text)
}
