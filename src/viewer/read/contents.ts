/** Payloads and chunks of a record as contents of the protocol, and the bytes behind them. */
import type { Content } from '../protocol/details.ts'
import { casFile, TAPE_FILE } from './access.ts'
import type { TapeIndexReader } from './tape-index.ts'
import { inlineText, objectOf, textOf, type WireObject } from './wire.ts'

const MAX_RANGE_BYTES = 4 * 1024 * 1024
const MAX_INLINE_CHARS = 256 * 1024

/** A payload or chunk as stored in a line; null if there is none. */
export async function contentOf(index: TapeIndexReader, value: unknown): Promise<Content | null> {
  const { base64, content_hash: hash, len_bytes: sizeBytes } = objectOf(value)
  const text = inlineText(value)
  if (text !== null) return { form: 'text', text }
  if (typeof base64 === 'string') return { form: 'bytes', base64 }
  if (typeof hash !== 'string' || typeof sizeBytes !== 'number') return null
  const missing = !isHash(hash) || (await index.files.size(casFile(hash))) === null
  return { form: 'stored', ref: `cas:${hash}`, sizeBytes, hash, missing }
}

export function textContent(text: string): Content {
  return { form: 'text', text }
}

/** A whole line, or a reference to it if it is long. */
export function lineContent(row: number, lengthBytes: number, text: string | null): Content {
  if (text !== null && text.length <= MAX_INLINE_CHARS) return { form: 'text', text }
  return { form: 'stored', ref: `line:${row}`, sizeBytes: lengthBytes, hash: null, missing: false }
}

/** Bytes of a chunk or payload, wherever they are; null if they are missing. */
export async function bytesOf(
  index: TapeIndexReader,
  value: unknown,
  mostBytes: number,
): Promise<Uint8Array | null> {
  const { base64, content_hash: hash } = objectOf(value)
  const text = inlineText(value)
  if (text !== null) return new TextEncoder().encode(text)
  if (typeof base64 === 'string') return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  if (typeof hash !== 'string' || !isHash(hash)) return null
  const size = await index.files.size(casFile(hash))
  return size === null ? null : await index.files.read(casFile(hash), 0, Math.min(size, mostBytes))
}

export async function textOfPayload(
  index: TapeIndexReader,
  value: unknown,
  mostBytes: number,
): Promise<string | null> {
  const bytes = await bytesOf(index, value, mostBytes)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

/** Bytes of a stored content. Null for a reference that names nothing. */
export async function payloadRange(
  index: TapeIndexReader,
  ref: string,
  from: number,
  to: number,
): Promise<Uint8Array | null> {
  const start = Math.max(0, Math.floor(from))
  const end = Math.min(Math.floor(to), start + MAX_RANGE_BYTES)
  if (end <= start) return new Uint8Array()
  const hash = /^cas:([0-9a-f]{64})$/.exec(ref)?.[1]
  if (hash !== undefined) {
    return (await index.files.size(casFile(hash))) === null
      ? null
      : await index.files.read(casFile(hash), start, end)
  }
  const line = /^line:([0-9]{1,10})$/.exec(ref)?.[1]
  const entry = line === undefined ? null : await index.row(Number(line))
  if (entry === null) return null
  const last = entry.offset + entry.lengthBytes
  return await index.files.read(
    TAPE_FILE,
    Math.min(entry.offset + start, last),
    Math.min(entry.offset + end, last),
  )
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

export function headerLines(value: unknown): (readonly [string, string])[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((pair) => (Array.isArray(pair) ? [[String(pair[0]), String(pair[1])] as const] : []))
}

export function errorOrNull(error: unknown): string | null {
  if (error === undefined || error === null) return null
  const { message, detail, code } = objectOf(error)
  const known = textOf(message) ?? textOf(detail)
  return known === null ? (textOf(code) ?? JSON.stringify(error)) : known
}

export function fieldContents(kind: WireObject): { readonly name: string; readonly value: Content }[] {
  return Object.entries(kind).map(([name, value]) => ({
    name,
    value: { form: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) },
  }))
}
