/**
 * Turns lines into what a tape holds, one event each: header, record, damage, torn end. Pure: bytes come in,
 * events go out, so the same parser serves the loading, the streaming and the repairing reader.
 *
 * A header that cannot be used is thrown, since nothing after it can be trusted. Everything else is an event:
 * `load` refuses damage, `inspect` and `repair` step over it.
 *
 * Decision 0266.
 */
import {
  isObject,
  JsonScanError,
  MAX_JSON_DEPTH,
  mayBeJson,
  mayBeObject,
  parseJson,
  refuseTooDeep,
  scanJson,
} from '../base/index.ts'
import { type ErrorCode, RepriseError } from '../errors/index.ts'
import { decodeHeader, type TapeHeader } from './header.ts'
import { createLineSplitter, type Line } from './lines.ts'
import { decodeRecord, isTooDeep, RecordError, type TapeRecord } from './record.ts'
import { RecordReader } from './record-reader.ts'
import { RepeatedKind } from './repeated-kind.ts'

export type Damage = {
  readonly code: ErrorCode
  readonly line: number
  readonly offset: number
  readonly bytes: number
  readonly reason: string
}

export type TapeEvent =
  | {
      readonly type: 'header'
      readonly header: TapeHeader
      readonly text: string
      readonly line: number
      readonly offset: number
    }
  | RecordEvent
  /** `text` is the damaged line where it is text at all: repair may find whole records in it. */
  | { readonly type: 'damage'; readonly damage: Damage; readonly text: string | null }
  | { readonly type: 'torn'; readonly line: number; readonly offset: number; readonly bytes: number }

export type RecordEvent = {
  readonly type: 'record'
  readonly record: TapeRecord
  readonly text: string
  readonly line: number
  readonly offset: number
}

export type TapeParser = {
  push(chunk: Buffer): TapeEvent[]
  end(): TapeEvent[]
  /** Where the next line begins. */
  place(): TapePlace
}

/** The beginning of a line. */
export type TapePlace = {
  /** How many lines are before it. */
  readonly lines: number
  readonly offset: number
}

/**
 * `from`: the bytes begin there, behind the header of a tape that was read up to it. `keepsText`: the caller
 * keeps the text of every event, so that texts of a record may be slices of it.
 */
export function createTapeParser(path: string, from?: TapePlace, keepsText = false): TapeParser {
  let events: TapeEvent[] = []
  let number = from?.lines ?? 0
  let offset = from?.offset ?? 0
  let sealed = false
  let header: string | null = from === undefined ? null : ''

  const reader = new RecordReader(keepsText)
  const repeated = new RepeatedKind()
  let isRepeated = false
  let clockMs = Number.NaN
  /** The usual line, without ceremony: a million of them make a large tape. Null for anything else. */
  const wholeRecord = (
    text: string,
    lengthBytes: number,
    bytes: Buffer | null,
    at: number,
  ): TapeRecord | null => {
    const known = isRepeated ? repeated.read(text) : null
    if (known !== null) return known
    const record = (bytes === null ? null : reader.read(bytes, at, lengthBytes, text)) ?? parsedRecord(text)
    if (record?.kind.kind !== 'clock_read') return record
    // Two clock reads of one millisecond are often followed by more of them.
    isRepeated = record.kind.valueMs === clockMs
    clockMs = record.kind.valueMs
    if (isRepeated) repeated.remember(text, record)
    return record
  }

  const lines = createLineSplitter((text, lengthBytes, problem, ended, bytes, at) => {
    number += 1
    const start = offset
    offset += lengthBytes + 1
    const record =
      text === null || header === null || sealed ? null : wholeRecord(text, lengthBytes, bytes, at)
    if (text !== null && record !== null) {
      events.push({ type: 'record', record, text, line: number, offset: start })
      if (record.kind.kind === 'tape_seal') sealed = true
      return
    }
    const line: Line = { number, offset: start, text, lengthBytes, problem, ended }
    if (header === null) {
      if (text !== null && text.trim() === '') return
      if (number > 1)
        throw new RepriseError('tape-header-invalid', `the first line of ${path} is blank`, {
          details: { path },
          hint: 'is it a tape?',
        })
      header = headerText(line, path)
      events.push({ type: 'header', header: decodeHeader(header, path), text: header, line: 1, offset: 0 })
      return
    }
    const event = parseLine(line)
    if (event === null) return
    events.push(sealed ? damaged(line, 'tape-after-seal', 'a line after the seal', null) : event)
    if (event.type === 'record' && event.record.kind.kind === 'tape_seal') sealed = true
  })

  const taken = (): TapeEvent[] => {
    const taken = events
    events = []
    return taken
  }

  return {
    push(chunk) {
      lines.push(chunk)
      return taken()
    },
    end() {
      lines.end()
      if (header === null)
        throw new RepriseError('tape-empty', `empty tape file: ${path}`, {
          details: { path },
          hint: 'nothing was recorded: record again',
        })
      return taken()
    },
    place: () => ({ lines: number, offset }),
  }
}

/** A record out of text that is one; null if it is none. For repair, which searches damaged lines. */
export function recordFromText(text: string): TapeRecord | null {
  try {
    const value: unknown = parseJson(text)
    return isObject(value) && value.type === 'record' ? decodeRecord(value, text) : null
  } catch {
    // Not JSON, or no record: the caller asked whether it is one.
    return null
  }
}

/** Null for anything but a whole record: `parseLine` checks that. */
function parsedRecord(text: string): TapeRecord | null {
  if (!text.startsWith('{') || !mayBeObject(text, 0) || !text.endsWith('}')) return null
  try {
    const value: unknown = parseJson(text)
    if (!isObject(value) || value.type !== 'record') return null
    return decodeRecord(value, text)
  } catch {
    // The next reader of the line reports what is wrong with it.
    return null
  }
}

function headerText(line: Line, path: string): string {
  const facts = { details: { path }, hint: 'is it a tape?' }
  if (line.problem === 'too-long')
    throw new RepriseError(
      'tape-line-too-long',
      `the first line of ${path} is ${line.lengthBytes} bytes long`,
      facts,
    )
  if (line.text === null)
    throw new RepriseError('tape-header-invalid', `the first line of ${path} is not UTF-8 text`, facts)
  if (!line.text.endsWith('\r')) return line.text
  const hint = 'add "*.tape -text" to .gitattributes and check the file out again'
  throw new RepriseError('tape-crlf', `${path} has CRLF line ends`, { ...facts, hint })
}

function parseLine(line: Line): TapeEvent | null {
  const { text } = line
  if (text === null) {
    if (line.problem === 'too-long')
      return damagedOrTorn(line, 'tape-line-too-long', `a line of ${line.lengthBytes} bytes`, null)
    return damagedOrTorn(line, 'tape-not-utf8', 'not UTF-8', null)
  }
  if (text.trim() === '') return null
  let value: unknown
  try {
    refuseTooDeep(text)
    if (!mayBeJson(text)) return damagedOrTorn(line, 'tape-line-damaged', whyNotJson(text), text)
    value = parseJson(text)
  } catch (error) {
    if (isTooDeep(error))
      return damagedOrTorn(line, 'tape-record-invalid', `nested deeper than ${MAX_JSON_DEPTH} levels`, null)
    return damagedOrTorn(line, 'tape-line-damaged', whyNotJson(text), text)
  }
  // JSON forgives a line end of another system; a tape is bytes.
  if (text.endsWith('\r')) return damaged(line, 'tape-crlf', 'a CRLF line end', text)
  if (!isObject(value)) return damagedOrTorn(line, 'tape-record-invalid', 'no JSON object', text)
  if (value.type === 'header') return damaged(line, 'tape-second-header', 'a second header', null)
  if (value.type !== 'record')
    return damagedOrTorn(line, 'tape-record-invalid', 'its type is neither header nor record', text)
  try {
    return { type: 'record', record: decodeRecord(value, text), text, line: line.number, offset: line.offset }
  } catch (error) {
    if (error instanceof RecordError) return damaged(line, 'tape-record-invalid', error.message, text)
    if (isTooDeep(error))
      return damaged(line, 'tape-record-invalid', `nested deeper than ${MAX_JSON_DEPTH} levels`, null)
    throw error
  }
}

/** A last line without its line break that is no whole record was cut off while it was written. */
function damagedOrTorn(line: Line, code: ErrorCode, reason: string, text: string | null): TapeEvent {
  if (!line.ended) return { type: 'torn', line: line.number, offset: line.offset, bytes: line.lengthBytes }
  return damaged(line, code, reason, text)
}

function damaged(line: Line, code: ErrorCode, reason: string, text: string | null): TapeEvent {
  return {
    type: 'damage',
    damage: { code, line: line.number, offset: line.offset, bytes: line.lengthBytes, reason },
    text,
  }
}

function whyNotJson(text: string): string {
  if (text.includes('\0')) return `${text.split('\0').length - 1} NUL bytes`
  if (!text.includes('{', 1)) return 'not JSON'
  try {
    const end = scanJson(text, () => undefined)
    return text.startsWith('{', end) ? 'two lines glued together' : 'not JSON'
  } catch (error) {
    if (error instanceof JsonScanError) return 'not JSON'
    throw error
  }
}
