/**
 * The binary event stream of AWS (`application/vnd.amazon.eventstream`): each message has a length, headers and a
 * payload of JSON. Checksums are not checked: a secret in a payload was replaced by a mask.
 */
import { isObject, type Json, type JsonObject, jsonOf } from '../base/index.ts'

const PRELUDE = 12
const CHECKSUM = 4
const TEXT = 7
/** Sizes of the values of header types that are not text or bytes. */
const SIZES: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]

/** True for bytes that begin with a message, as far as its prelude shows. */
export function isEventStream(bytes: Uint8Array): boolean {
  if (bytes.byteLength < PRELUDE) return false
  const view = viewOf(bytes)
  const [total, headers] = [view.getUint32(0), view.getUint32(4)]
  return (
    total >= PRELUDE + CHECKSUM && headers <= total - PRELUDE - CHECKSUM && total < 2 ** 25 && bytes[0] === 0
  )
}

/**
 * One document per event: its type, with the payload as value. An exception is an `error`. A payload that carries the
 * answer of a model in `bytes` gives that answer.
 */
export function eventStreamDocuments(bytes: Uint8Array): readonly JsonObject[] {
  const documents: JsonObject[] = []
  for (let at = 0; isEventStream(bytes.subarray(at)); ) {
    const total = viewOf(bytes.subarray(at)).getUint32(0)
    if (at + total > bytes.byteLength) break
    const document = documentOf(bytes.subarray(at, at + total))
    if (document !== null) documents.push(document)
    at += total
  }
  return documents
}

function documentOf(message: Uint8Array): JsonObject | null {
  const headersEnd = PRELUDE + viewOf(message).getUint32(4)
  const headers = headersOf(message.subarray(PRELUDE, headersEnd))
  const text = textOf(message.subarray(headersEnd, message.byteLength - CHECKSUM))
  const payload: Json = jsonOf(text) ?? {}
  const exception = headers.get(':exception-type') ?? headers.get(':error-code')
  if (exception !== undefined) {
    const fields = isObject(payload) ? payload : {}
    return { error: { type: exception, message: fields.message ?? headers.get(':error-message') ?? '' } }
  }
  const inner =
    isObject(payload) && typeof payload.bytes === 'string' ? jsonOf(base64Text(payload.bytes)) : null
  if (isObject(inner)) return inner
  const type = headers.get(':event-type')
  return type === undefined ? null : { [type]: payload }
}

function headersOf(bytes: Uint8Array): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  const view = viewOf(bytes)
  for (let at = 0; at < bytes.byteLength; ) {
    const nameEnd = at + 1 + view.getUint8(at)
    if (nameEnd >= bytes.byteLength) break
    const name = textOf(bytes.subarray(at + 1, nameEnd))
    const type = view.getUint8(nameEnd)
    const size = SIZES[type] ?? 0
    const counted = size < 0 && nameEnd + 3 <= bytes.byteLength ? view.getUint16(nameEnd + 1) : null
    const start = nameEnd + 1 + (counted === null ? 0 : 2)
    const end = start + (counted ?? Math.max(0, size))
    if (type === TEXT) headers.set(name, textOf(bytes.subarray(start, end)))
    at = end
  }
  return headers
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function base64Text(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}
