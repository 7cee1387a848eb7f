/**
 * Where payload bytes go: up to 4096 bytes of UTF-8 are stored in the line, everything else in the CAS. The
 * rule is upstream's, byte for byte.
 */
import { type ContentHash, contentHash, contentHashOfText, unreachable, utf8 } from '../base/index.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedText } from '../scrub/index.ts'
import { scrubbedTextOrNull, textOfScrubbed } from '../scrub/scrubbed-parts.ts'
import { fieldNames } from './field-names.ts'
import type { Chunk, Payload } from './fields.ts'
import type { RecordKind } from './kinds.ts'

export const MAX_INLINE_BYTES = 4096

export type PutBytes = (hash: ContentHash, bytes: ScrubbedBytes) => void

/** `likely` is the text that the bytes probably are; it is checked, which is cheaper than decoding them. */
export function payloadOf(bytes: ScrubbedBytes, put: PutBytes, likely?: string): Scrubbed<Payload> {
  const hash = contentHash(bytes)
  const text = bytes.byteLength > MAX_INLINE_BYTES ? null : textOf(bytes, likely)
  if (text !== null) return { form: 'inline', contentHash: hash, text }
  put(hash, bytes)
  return { form: 'cas', contentHash: hash, lenBytes: bytes.byteLength }
}

/** The payload of the UTF-8 of this text; null if that is too long for the line. `hash`: if it is known. */
export function inlinePayload(text: ScrubbedText, hash: ContentHash | null): Scrubbed<InlinePayload> | null {
  const lenBytes = text.length > MAX_INLINE_BYTES ? text.length : Buffer.byteLength(text)
  if (lenBytes > MAX_INLINE_BYTES) return null
  return { payload: { form: 'inline', contentHash: hash ?? contentHashOfText(text), text }, lenBytes }
}

type InlinePayload = { readonly payload: Payload; readonly lenBytes: number }

export function chunkOf(bytes: ScrubbedBytes, put: PutBytes): Scrubbed<Chunk> {
  if (bytes.byteLength <= MAX_INLINE_BYTES) {
    const text = scrubbedTextOrNull(bytes)
    return text === null ? { form: 'base64', bytes } : { form: 'text', text }
  }
  const hash = contentHash(bytes)
  put(hash, bytes)
  return { form: 'cas', contentHash: hash, lenBytes: bytes.byteLength }
}

function textOf(bytes: ScrubbedBytes, likely: string | undefined): ScrubbedText | null {
  const known = likely === undefined ? null : textOfScrubbed(bytes, likely)
  return known ?? scrubbedTextOrNull(bytes)
}

/** The bytes of an inline payload; else the result of `fromCas`. */
export function payloadBytes<T>(
  payload: Payload | Chunk,
  fromCas: (reference: CasReference) => T,
): Uint8Array | T {
  switch (payload.form) {
    case 'inline':
    case 'text':
      return utf8(payload.text)
    case 'base64':
      return payload.bytes
    case 'cas':
      return fromCas(payload)
    default:
      return unreachable(payload)
  }
}

/** How many bytes a payload has, wherever they are. */
export function payloadLength(payload: Payload | Chunk): number {
  switch (payload.form) {
    case 'inline':
    case 'text':
      return Buffer.byteLength(payload.text)
    case 'base64':
      return payload.bytes.byteLength
    case 'cas':
      return payload.lenBytes
    default:
      return unreachable(payload)
  }
}

export type CasReference = { readonly contentHash: ContentHash; readonly lenBytes: number }

/** Every payload of a record that lies in the CAS. */
export function casReferences(kind: RecordKind): readonly CasReference[] {
  const names = kind.kind === 'unknown' ? NONE : payloadFields(kind.kind)
  const values = kind as { readonly [name: string]: unknown }
  let references: CasReference[] | null = null
  for (const name of names) {
    const value = values[name] as Payload | Chunk | undefined
    if (value?.form !== 'cas') continue
    references ??= []
    references.push(value)
  }
  return references ?? NONE
}

/** Every payload and chunk of a record, in the order of its fields. */
export function payloadsOf(kind: RecordKind): readonly (Payload | Chunk)[] {
  const names = kind.kind === 'unknown' ? NONE : payloadFields(kind.kind)
  if (names.length === 0) return NONE
  const values = kind as { readonly [name: string]: unknown }
  return names.map((name) => values[name]).filter((value) => value !== undefined) as (Payload | Chunk)[]
}

const NONE: readonly never[] = []

const payloadFields = fieldNames(({ shape }) => shape === 'payload' || shape === 'chunk')
