/**
 * How deep a text nests, without building a value: brackets outside of strings are counted. The text need not
 * be JSON.
 */
import { JsonScanError, MAX_JSON_DEPTH } from './json-scan.ts'

/** Throws a `JsonScanError` for text that is nested deeper than `MAX_JSON_DEPTH`. */
export function refuseTooDeep(text: string): void {
  const at = tooDeepAt(text)
  if (at !== -1) throw new JsonScanError('depth', at)
}

/** Whether it nests deeper than `MAX_JSON_DEPTH`. */
export function isTooDeep(text: string): boolean {
  return tooDeepAt(text) !== -1
}

/** The offset of the first bracket that is too deep; -1 if there is none. */
function tooDeepAt(text: string): number {
  if (text.length <= MAX_JSON_DEPTH || !hasManyOpenings(text)) return -1
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = stringEnd(text, at)
        break
      case 0x5b:
      case 0x7b:
        depth += 1
        if (depth > MAX_JSON_DEPTH) return at
        break
      case 0x5d:
      case 0x7d:
        depth -= 1
    }
  }
  return -1
}

/** Counts inside of strings too. `indexOf` is many times faster than a loop over the text. */
function hasManyOpenings(text: string): boolean {
  let left = MAX_JSON_DEPTH
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  }
  return false
}

/** The offset of the quote that ends the string that begins at `from`; the end of the text if none does. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === 0x5c) first -= 1
    if ((at - first) % 2 === 0) return at
  }
  return text.length
}
