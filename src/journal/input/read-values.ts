/**
 * The JSON values of a file, whether it is JSON lines, one JSON array, or one JSON document. Lines stream; an
 * array or document is held in memory, and a torn array is read as far as its elements are whole.
 */
import { isObject, JsonScanError, listOf, parseJson, scanJson, tryParseJson } from '../../base/index.ts'
import { RepriseError, withSystemErrors } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { readHead } from '../../tape/reader.ts'
import type { LineDecoder } from '../file/decode-lines.ts'
import { type DamageListener, readRecords } from '../file/read-journal.ts'

export type FileShape = 'empty' | 'lines' | 'array' | 'document'

/**
 * The longest string that V8 makes is a little over 512 MiB; a document larger than this is not what anyone
 * writes by hand.
 */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024

const HEAD_BYTES = 64 * 1024

export async function* readValues(
  path: string,
  isRecord: (value: unknown) => boolean,
  onDamage: DamageListener,
): AsyncGenerator<readonly unknown[]> {
  switch (shapeOf(path)) {
    case 'empty':
      return
    case 'array':
      yield arrayValues(path, onDamage)
      return
    case 'document':
      yield documentValues(path)
      return
    case 'lines': {
      const decoder: LineDecoder<unknown> = { isRecord, decode: (value) => ({ ok: true, entry: value }) }
      yield* readRecords(path, decoder, onDamage)
    }
  }
}

/**
 * Detected from the first bytes. A document is an object that does not end on its first line, and is JSON as
 * a whole.
 */
export function shapeOf(path: string): FileShape {
  const text = readHead(path, HEAD_BYTES)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (text === '') return fileSize(path) > HEAD_BYTES ? 'lines' : 'empty'
  if (text.startsWith('[')) return 'array'
  const firstLine = text.split('\n', 1)[0] ?? ''
  if (
    !text.startsWith('{') ||
    isJson(firstLine) ||
    !text.includes('\n') ||
    fileSize(path) > MAX_DOCUMENT_BYTES
  )
    return 'lines'
  return isJson(wholeText(path)) ? 'document' : 'lines'
}

function documentValues(path: string): readonly unknown[] {
  const value: unknown = parseJson(wholeText(path))
  if (!isObject(value) || 'kind' in value) return [value]
  const list = [value.events, value.entries].find(Array.isArray)
  return list === undefined ? [value] : listOf(list)
}

function arrayValues(path: string, onDamage: DamageListener): readonly unknown[] {
  if (fileSize(path) > MAX_DOCUMENT_BYTES) {
    throw new RepriseError(
      'audit-input',
      `${path} is one JSON array of more than ${MAX_DOCUMENT_BYTES} bytes`,
      { hint: 'write it as JSON lines' },
    )
  }
  const text = wholeText(path)
  const values: unknown[] = []
  let at = text.indexOf('[') + 1
  for (;;) {
    at = skip(text, at)
    if (text[at] === ']') return values
    try {
      const end = scanJson(text, () => undefined, at)
      values.push(parseJson(text.slice(at, end)))
      at = skip(text, end)
      if (text[at] === ',') at += 1
      else if (text[at] !== ']') throw new JsonScanError('syntax', at)
    } catch (error) {
      if (!(error instanceof JsonScanError)) throw error
      const reason =
        error.reason === 'depth'
          ? 'too-deep'
          : at >= text.length || error.offset >= text.length - 1
            ? 'torn'
            : 'not-json'
      onDamage({
        path,
        line: lineAt(text, at),
        offset: at,
        bytes: text.length - at,
        reason,
        recovered: 0,
        detail: `element ${values.length}: ${error.message}`,
      })
      return values
    }
  }
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

function skip(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1
  return at
}

function isJson(text: string): boolean {
  return tryParseJson(text) !== undefined
}

function wholeText(path: string): string {
  return withSystemErrors('read', path, () => fs.readFileSync(path, 'utf8')).replace(/^\ufeff/, '')
}

function fileSize(path: string): number {
  return withSystemErrors('read', path, () => fs.statSync(path)).size
}
