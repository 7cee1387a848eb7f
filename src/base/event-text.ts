/**
 * Text of server-sent events as JSON: the data of each event is a value, not a string whose quotes are escaped.
 *
 * `{…}` is the event `data: {…}`, and `["name", {…}]` has the line `event: name` before it. Only events whose
 * text is exactly what these values give are taken; from the first other one on, everything is `rest`. So the
 * text that is read back is the text that was written, byte for byte.
 *
 * Decision 0511.
 */
import { isObject } from './json-value.ts'

const NAME = 'event: '
const DATA = 'data: '
const END = '\n\n'
/** A reader of others stops at 128 levels, of which the line around has some. */
const MOST_BRACKETS = 100

/** The members `events` and `rest` as JSON text. Null for a text that does not begin with an event. */
export function encodeEvents(text: string): string | null {
  let events = ''
  let at = 0
  for (;;) {
    const named = text.startsWith(NAME, at)
    const from = named ? text.indexOf('\n', at) + 1 : at
    if (from < at || !text.startsWith('data: {', from)) break
    const end = text.indexOf(END, from)
    if (end === -1) break
    const data = text.slice(from + DATA.length, end)
    if (!isExact(data)) break
    const comma = at === 0 ? '' : ','
    const name = named ? JSON.stringify(text.slice(at + NAME.length, from - 1)) : ''
    events += named ? `${comma}[${name},${data}]` : comma + data
    at = end + END.length
  }
  if (at === 0) return null
  return at === text.length
    ? `"events":[${events}]`
    : `"events":[${events}],"rest":${JSON.stringify(text.slice(at))}`
}

/** The text that was written as `events` and `rest`; null if they are none. */
export function decodeEvents(events: unknown, rest: unknown): string | null {
  if (!Array.isArray(events) || (rest !== undefined && typeof rest !== 'string')) return null
  let text = ''
  for (const event of events) {
    if (isObject(event)) {
      text += DATA + JSON.stringify(event) + END
      continue
    }
    if (!Array.isArray(event) || event.length !== 2) return null
    const [name, data] = event
    if (typeof name !== 'string' || !isObject(data)) return null
    text += `${NAME}${name}\n${DATA}${JSON.stringify(data)}${END}`
  }
  return rest === undefined ? text : text + rest
}

/** Whether parsing this object and printing it again gives the same text. */
function isExact(data: string): boolean {
  if (data.length > MOST_BRACKETS && hasManyBrackets(data)) return false
  try {
    return JSON.stringify(JSON.parse(data)) === data
  } catch {
    // Not JSON: it stays text.
    return false
  }
}

/** Counts inside of strings too. */
function hasManyBrackets(data: string): boolean {
  let left = MOST_BRACKETS
  for (const bracket of ['{', '['])
    for (let at = data.indexOf(bracket); at !== -1; at = data.indexOf(bracket, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  return false
}
