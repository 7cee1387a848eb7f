/**
 * Text into a cast: versions 2 and 3. Unknown event codes are skipped, as the format asks; a line that is no
 * event is an error with its number.
 */
import { fieldsOf, isObject, JsonScanError, parseJson } from '../../base/index.ts'
import type { Size } from '../codec/records.ts'
import { MAX_CELLS, MAX_SIDE } from '../terminal/terminal.ts'
import { type Cast, type CastEvent, invalidCast } from './model.ts'

export function readCast(text: string): Cast {
  const lines = text.split('\n')
  const header = headerOf(lines[0] ?? '')
  const events: CastEvent[] = []
  let clockMs = 0
  for (let at = 1; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim()
    if (line === '' || (header.version === 3 && line.startsWith('#'))) continue
    const [time, code, body] = eventOf(line, at + 1)
    clockMs = header.version === 3 ? clockMs + time * 1000 : time * 1000
    const event = readEvent(Math.round(clockMs), code, body, at + 1)
    if (event !== null) events.push(event)
  }
  return { ...header.cast, events }
}

function headerOf(line: string): { version: 2 | 3; cast: Omit<Cast, 'events'> } {
  const value = parsed(line, 1)
  if (!isObject(value)) throw invalidCast(1, 'the header is not an object')
  const { version } = value
  if (version !== 2 && version !== 3)
    throw invalidCast(1, `version ${JSON.stringify(version) ?? 'missing'} is not read here`)
  const term = version === 3 ? fieldsOf(value.term) : {}
  const [cols, rows] = version === 3 ? [term.cols, term.rows] : [value.width, value.height]
  const env = isObject(value.env)
    ? Object.entries(value.env).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []
  const asText = (field: unknown): string => (typeof field === 'string' ? field : '')
  const timestamp =
    typeof value.timestamp === 'number' && Math.abs(value.timestamp) < 8e12
      ? Math.floor(value.timestamp)
      : null
  return {
    version,
    cast: {
      size: sizeOf(cols, rows, 1),
      term: asText(term.type) || (Object.fromEntries(env).TERM ?? ''),
      timestamp,
      title: asText(value.title),
      command: asText(value.command),
      env: Object.fromEntries(env),
    },
  }
}

function eventOf(line: string, at: number): readonly [number, string, string] {
  const value = parsed(line, at)
  if (!Array.isArray(value)) throw invalidCast(at, 'an event is a list of time, code and text')
  const [time, code, body]: unknown[] = value
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0 || time > 1e9)
    throw invalidCast(at, 'the time is not a number of seconds')
  if (typeof code !== 'string' || typeof body !== 'string')
    throw invalidCast(at, 'an event is a list of time, code and text')
  return [time, code, body]
}

function readEvent(tMs: number, code: string, body: string, at: number): CastEvent | null {
  switch (code) {
    case 'o':
      return { kind: 'output', tMs, text: body }
    case 'i':
      return { kind: 'input', tMs, text: body }
    case 'm':
      return { kind: 'marker', tMs, text: body }
    case 'r': {
      const [cols, rows] = body.split('x').map(Number)
      return { kind: 'resize', tMs, size: sizeOf(cols, rows, at) }
    }
    case 'x':
      return { kind: 'exit', tMs, code: Number.isInteger(Number(body)) ? Number(body) : 0 }
    default:
      return null
  }
}

function sizeOf(cols: unknown, rows: unknown, at: number): Size {
  const fits = (side: unknown): side is number =>
    typeof side === 'number' && Number.isInteger(side) && side > 0 && side <= MAX_SIDE
  if (!fits(cols) || !fits(rows) || cols * rows > MAX_CELLS)
    throw invalidCast(at, 'the size of the terminal is missing or impossible')
  return { cols, rows }
}

function parsed(line: string, at: number): unknown {
  try {
    return parseJson(line)
  } catch (error) {
    if (error instanceof JsonScanError) throw invalidCast(at, 'nested too deep')
    // JSON.parse's own words name an offset in a line that the user has not seen.
    throw invalidCast(at, 'not JSON')
  }
}
