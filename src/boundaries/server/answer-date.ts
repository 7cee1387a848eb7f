/**
 * The `Date` header that Node adds to the responses of a server. Node reads its own clock for it; this
 * replaces it by the time of the session, so that a replay responds with the recorded time.
 */
import { label } from '../../base/index.ts'
import { dateFrom } from '../../real/clock.ts'
import { readWallOf } from '../clock/index.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'

const DATE_HEADER = label('http.Date')
const ADDED = '\r\nDate: '

/** The part of an `http.OutgoingMessage` that this file uses. */
type Message = { sendDate: unknown; _header: unknown }

/** `_storeHeader(firstLine, headers)` makes the text of the head and keeps it in `_header`. */
export function withRecordedDate(original: AnyFunction): AnyFunction {
  return function _storeHeader(this: Message, ...args: unknown[]): unknown {
    const result: unknown = Reflect.apply(original, this, args)
    const header = this._header
    if (this.sendDate !== true || typeof header !== 'string') return result
    if (hasDate(args[1])) return result
    const session = activeSession('clock')
    if (session === null) return result
    // Node adds its own after those of the program.
    const at = header.lastIndexOf(ADDED)
    if (at < 0) return result
    const date = dateText(readWallOf(session, DATE_HEADER).getTime())
    const start = at + ADDED.length
    if (header.startsWith(date, start)) return result
    this._header = header.slice(0, start) + date + header.slice(header.indexOf('\r\n', start))
    return result
  }
}

let lastSecond = Number.NaN
let lastText = ''

/** The text changes once a second. */
function dateText(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = dateFrom(ms).toUTCString()
    lastSecond = second
  }
  return lastText
}

/** The headers are an object by lower-case name, an object of the program, or a list. */
function hasDate(headers: unknown): boolean {
  if (Array.isArray(headers))
    return headers.some((entry: unknown, at) => {
      const name: unknown = Array.isArray(entry) ? entry[0] : at % 2 === 0 ? entry : ''
      return isDate(name)
    })
  return typeof headers === 'object' && headers !== null && Object.keys(headers).some(isDate)
}

function isDate(name: unknown): boolean {
  return typeof name === 'string' && name.toLowerCase() === 'date'
}
