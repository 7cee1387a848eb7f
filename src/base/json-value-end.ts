/**
 * Where a JSON value ends, found by its brackets and quotes alone: several times faster than parsing it. Does
 * not check that it is JSON.
 */

/** Deeper values are left to readers that count every level. */
const MAX_DEPTH = 100

/** The offset just after the value that begins at `from`; -1 if it has no end, or is nested too deep. */
export function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at)
        if (at < 0) return -1
        if (depth === 0) return at + 1
        break
      case 0x5b:
      case 0x7b:
        depth += 1
        if (depth > MAX_DEPTH) return -1
        break
      case 0x5d:
      case 0x7d:
        if (depth === 0) return at
        depth -= 1
        if (depth === 0) return at + 1
        break
      case 0x2c:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        // A number or a literal ends here.
        if (depth === 0) return at
    }
  }
  return -1
}

/** The offset of the quote that ends the string that begins at `from`; -1 if none does. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
    if ((at - first) % 2 === 0) return at
  }
  return -1
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
