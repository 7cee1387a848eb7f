/**
 * What differs between two payloads, down to the JSON field, the line of text or the byte. Only for people
 * and programs that want to know more: whether payloads differ is decided by their hashes.
 *
 * Reads at most `MAX_DETAIL_BYTES` of a side, and reports that instead of reading a gigabyte; a missing payload is
 * reported too.
 */
import { type Json, parseJson, textOrNull } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'
import type { Chunk, Payload } from '../tape/fields.ts'
import { type JsonDifferences, jsonDifferences } from './json-difference.ts'
import { cut } from './spelling.ts'

const MAX_DETAIL_BYTES = 8 * 1024 * 1024

export type TextDifference = {
  /** 1-based. */
  readonly line: number
  readonly column: number
  /** The line on each side; null where that side has ended. */
  readonly expected: string | null
  readonly actual: string | null
}

/** The message of a conversation in which the first difference lies. */
export type ChangedMessage = { readonly index: number; readonly role: string | null; readonly path: string }

export type PayloadDifference =
  | ({ readonly form: 'json'; readonly changedMessage: ChangedMessage | null } & JsonDifferences)
  | ({ readonly form: 'text' } & TextDifference)
  | {
      readonly form: 'bytes'
      readonly offset: number
      readonly expectedBytes: number
      readonly actualBytes: number
    }
  | {
      readonly form: 'unavailable'
      readonly side: 'recorded' | 'replayed'
      readonly reason: 'too-large' | 'missing' | 'damaged'
    }

export type Resolve = (payload: Payload | Chunk) => Uint8Array

export function payloadDifference(
  recorded: Payload | Chunk,
  replayed: Payload | Chunk,
  resolveRecorded: Resolve,
  resolveReplayed: Resolve,
): PayloadDifference {
  const expected = bytesOf(recorded, 'recorded', resolveRecorded)
  if ('form' in expected) return expected
  const actual = bytesOf(replayed, 'replayed', resolveReplayed)
  if ('form' in actual) return actual
  return bytesDifference(expected.bytes, actual.bytes)
}

type Unavailable = Extract<PayloadDifference, { form: 'unavailable' }>

function bytesOf(
  payload: Payload | Chunk,
  side: 'recorded' | 'replayed',
  resolve: Resolve,
): { readonly bytes: Uint8Array } | Unavailable {
  if (sizeOf(payload) > MAX_DETAIL_BYTES) return { form: 'unavailable', side, reason: 'too-large' }
  try {
    return { bytes: resolve(payload) }
  } catch (error) {
    if (!isRepriseError(error)) throw error
    return { form: 'unavailable', side, reason: error.code === 'cas-missing' ? 'missing' : 'damaged' }
  }
}

function sizeOf(payload: Payload | Chunk): number {
  switch (payload.form) {
    case 'inline':
    case 'text':
      return payload.text.length
    case 'base64':
      return payload.bytes.byteLength
    case 'cas':
      return payload.lenBytes
  }
}

function bytesDifference(expected: Uint8Array, actual: Uint8Array): PayloadDifference {
  const [left, right] = [textOrNull(expected), textOrNull(actual)]
  if (left === null || right === null) return byteDifference(expected, actual)
  const [leftJson, rightJson] = [parseContainer(left), parseContainer(right)]
  if (leftJson !== null && rightJson !== null) {
    const difference = jsonDifference(leftJson, rightJson)
    // Equal values in other words (white space, the order of keys): the text shows where.
    if (difference.differences.length > 0) return difference
  }
  return { form: 'text', ...textDifference(left, right) }
}

export function jsonDifference(expected: Json, actual: Json): Extract<PayloadDifference, { form: 'json' }> {
  const found = jsonDifferences(expected, actual)
  return { form: 'json', changedMessage: changedMessage(found, expected, actual), ...found }
}

const MESSAGE = /^\$\.(messages|input|contents)\[(\d+)\]/

/** The requests of the chat APIs hold their conversation under one of these names. */
function changedMessage(
  { differences }: JsonDifferences,
  expected: Json,
  actual: Json,
): ChangedMessage | null {
  for (const { path } of differences) {
    const match = MESSAGE.exec(path)
    if (match === null) continue
    const [, list = '', index = '0'] = match
    return {
      index: Number(index),
      role: roleOf(expected, list, Number(index)) ?? roleOf(actual, list, Number(index)),
      path,
    }
  }
  return null
}

function roleOf(request: Json, list: string, index: number): string | null {
  const messages = (request as { readonly [name: string]: Json })[list]
  const message = Array.isArray(messages) ? messages[index] : null
  const role =
    typeof message === 'object' && message !== null ? (message as { readonly role?: Json }).role : null
  return typeof role === 'string' ? cut(role, 40) : null
}

function parseContainer(text: string): Json {
  if (!/^\s*[{[]/.test(text)) return null
  try {
    return parseJson(text) as Json
  } catch {
    // Not JSON: compared as text.
    return null
  }
}

export function textDifference(expected: string, actual: string): TextDifference {
  let at = 0
  while (at < expected.length && at < actual.length && expected.charCodeAt(at) === actual.charCodeAt(at))
    at += 1
  const lineStart = expected.lastIndexOf('\n', at - 1) + 1
  const start = at === 0 ? 0 : lineStart
  return {
    line: linesBefore(expected, start) + 1,
    column: at - start + 1,
    expected: excerpt(expected, start, at),
    actual: excerpt(actual, start, at),
  }
}

function linesBefore(text: string, end: number): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

const CONTEXT_CHARS = 60
export const EXCERPT_CHARS = 400

/** The line, or of a long one the part around the difference; null where the text has ended. */
function excerpt(text: string, lineStart: number, at: number): string | null {
  if (lineStart >= text.length && lineStart > 0) return null
  const lineEnd = text.indexOf('\n', Math.max(at, lineStart))
  const end = lineEnd < 0 ? text.length : lineEnd
  const from = at - lineStart > CONTEXT_CHARS ? at - CONTEXT_CHARS : lineStart
  return `${from === lineStart ? '' : '…'}${cut(text.slice(from, end), EXCERPT_CHARS)}`
}

export function byteDifference(
  expected: Uint8Array,
  actual: Uint8Array,
): Extract<PayloadDifference, { form: 'bytes' }> {
  let offset = 0
  while (offset < expected.length && offset < actual.length && expected[offset] === actual[offset])
    offset += 1
  return { form: 'bytes', offset, expectedBytes: expected.length, actualBytes: actual.length }
}
