/**
 * Lines in a form that serde_json accepts, which reads our tapes in Harn: one refused line fails its whole
 * load. It refuses half of a surrogate pair, and nesting of 128 levels.
 *
 * A line with either is written with `"escapes":1`. In its strings U+FDD0 and four hex digits encode that
 * UTF-16 unit (`fdd0` for U+FDD0 itself), and a string that begins with U+FDD0 and `json` encodes the JSON
 * value whose text follows. Both ways work on text, so number spellings and key order stay. A line without
 * the member is read as it is.
 */

const MARK = '\ufdd0'
const VALUE = `${MARK}json`
/** serde_json stops at 128; the rest is for a reader that wraps the line. */
const MAX_DEPTH = 120

/** What half a pair looks like in JSON text; a whole one looks so too. */
const HALF = /u[dD][89a-fA-F][0-9a-fA-F]{2}/
const BACKSLASH = 0x5c
const QUOTE = 0x22

/**
 * `line` is one JSON object without white space around it; `mayNest` is false where its kind has no field
 * that can be deep.
 */
export function serdeSafe(line: string, mayNest = true): string {
  if (!hasHalf(line) && !(mayNest && mayBeDeep(line))) return line
  const escaped = escapedLine(line)
  return escaped === line ? line : `${escaped.slice(0, -1)},"escapes":1}`
}

/** Most lines have no such escape, which is faster to find out than what follows it. */
function hasHalf(line: string): boolean {
  return line.includes('\\u') && HALF.test(line)
}

/** The line as it was before `serdeSafe`, without the member that marks it. */
export function withoutEscapes(line: string): string {
  return mapStrings(line, (text) => {
    if (!text.includes(MARK)) return text
    if (text.startsWith(`"${VALUE}`)) return String(JSON.parse(text)).slice(VALUE.length)
    return text.replace(/\ufdd0([0-9a-fA-F]{4})/g, (_, unit: string) =>
      unit === 'fdd0' ? MARK : `\\u${unit}`,
    )
  })
}

/** Opening brackets count even inside of strings: an upper bound of the nesting, and cheap. */
function mayBeDeep(line: string): boolean {
  if (line.length < 2 * MAX_DEPTH) return false
  let opens = 0
  for (const bracket of ['{', '[']) {
    for (let at = line.indexOf(bracket); at !== -1; at = line.indexOf(bracket, at + 1)) {
      opens += 1
      if (opens > MAX_DEPTH) return true
    }
  }
  return false
}

const PAIR = '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
/** In the text of a JSON string: a whole pair, half of one, the mark, any other escape. */
const ESCAPES = new RegExp(
  `${PAIR}|\\\\u([dD][89a-fA-F][0-9a-fA-F]{2})|(${MARK}|\\\\u[fF][dD][dD]0)|\\\\.`,
  'g',
)

function escapedLine(line: string): string {
  if (!hasHalfPair(line) && !isDeep(line)) return line
  let out = ''
  let from = 0
  let depth = 0
  const replace = (at: number, end: number, by: string): void => {
    out += line.slice(from, at) + by
    from = end
  }
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charCodeAt(at)
    if (char === QUOTE) {
      const end = stringEnd(line, at)
      replace(at, end, escapedString(line.slice(at, end)))
      at = end - 1
    } else if (isClosing(char)) depth -= 1
    else if (isOpening(char) && depth < MAX_DEPTH) depth += 1
    else if (isOpening(char)) {
      const end = valueEnd(line, at)
      replace(at, end, JSON.stringify(VALUE + line.slice(at, end)))
      at = end - 1
    }
  }
  return out + line.slice(from)
}

function escapedString(text: string): string {
  return text.replace(ESCAPES, (found, half?: string, mark?: string) => {
    if (half !== undefined) return `${MARK}${half}`
    return mark === undefined ? found : `${MARK}fdd0`
  })
}

function hasHalfPair(line: string): boolean {
  for (const [, half] of line.matchAll(ESCAPES)) if (half !== undefined) return true
  return false
}

function isDeep(line: string): boolean {
  let depth = 0
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charCodeAt(at)
    if (char === QUOTE) at = stringEnd(line, at) - 1
    else if (isClosing(char)) depth -= 1
    else if (isOpening(char)) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    }
  }
  return false
}

/** Replaces the text of each string and key, quotes included. */
function mapStrings(line: string, map: (text: string) => string): string {
  let out = ''
  let from = 0
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at)) {
    const end = stringEnd(line, at)
    const text = line.slice(at, end)
    const mapped = map(text)
    if (mapped !== text) {
      out += line.slice(from, at) + mapped
      from = end
    }
    at = end
  }
  return out + line.slice(from)
}

/** Behind the closing quote of the string that begins at `at`. */
function stringEnd(line: string, at: number): number {
  for (let here = at + 1; here < line.length; here += 1) {
    const char = line.charCodeAt(here)
    if (char === BACKSLASH) here += 1
    else if (char === QUOTE) return here + 1
  }
  return line.length
}

/** Behind the object or array that begins at `at`. */
function valueEnd(line: string, at: number): number {
  let depth = 0
  for (let here = at; here < line.length; here += 1) {
    const char = line.charCodeAt(here)
    if (char === QUOTE) here = stringEnd(line, here) - 1
    else if (isOpening(char)) depth += 1
    else if (isClosing(char)) {
      depth -= 1
      if (depth === 0) return here + 1
    }
  }
  return line.length
}

function isOpening(char: number): boolean {
  return char === 0x7b || char === 0x5b
}

function isClosing(char: number): boolean {
  return char === 0x7d || char === 0x5d
}
