/**
 * Scrubs one record, field by field, each on the side that the kinds table gives it. Payloads are scrubbed as
 * what they are, stored anew under the hash of their scrubbed bytes, and every hash in the record that named
 * the old bytes names the new ones.
 */
import { type ContentHash, type Json, utf8 } from '../base/index.ts'
import type { Scrubbed, ScrubbedBytes, Scrubber, Side } from '../scrub/index.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import type { Chunk, Field, HeaderPairs, Payload } from './fields.ts'
import { type ExtraFields, kinds, type RecordKind } from './kinds.ts'

export type PayloadAccess = {
  resolve(payload: Payload | Chunk): Uint8Array
  payload(bytes: ScrubbedBytes): Scrubbed<Payload>
  chunk(bytes: ScrubbedBytes): Scrubbed<Chunk>
}

/**
 * The kind itself, the same object, if there was nothing to replace. `place` names the record in the
 * scrubber's report.
 */
export function scrubKind(
  kind: RecordKind,
  scrubber: Scrubber,
  access: PayloadAccess,
  place: string,
): Scrubbed<RecordKind> {
  const before = scrubber.hits
  const scrub = (): RecordKind =>
    kind.kind === 'unknown'
      ? { ...kind, json: scrubber.jsonText(kind.json, 'sent', place) }
      : scrubFields(kind, scrubber, access, place)
  const clean = kind.kind === 'server_request' ? scrubber.asked(scrub) : scrub()
  return scrubber.hits === before ? fromDisk(kind) : fromDisk<RecordKind>(clean)
}

function scrubFields(
  kind: Exclude<RecordKind, { kind: 'unknown' }>,
  scrubber: Scrubber,
  access: PayloadAccess,
  place: string,
): RecordKind {
  const clean: { [name: string]: unknown } = { ...kind }
  const renamed = new Map<ContentHash, { readonly contentHash: ContentHash; readonly lenBytes: number }>()
  for (const [name, field] of Object.entries<Field<unknown>>(kinds[kind.kind])) {
    const value = clean[name]
    if (value === undefined || value === null || field.side === 'kept') continue
    clean[name] = scrubField(field, field.side, value, scrubber, access, `${place}.${field.wire}`, renamed)
  }
  if (renamed.size > 0) followHashes(clean, renamed)
  if (kind.extra !== undefined) clean.extra = scrubExtra(kind.extra, scrubber, place)
  return clean as RecordKind
}

function scrubField(
  field: Field<unknown>,
  side: Side,
  value: unknown,
  scrubber: Scrubber,
  access: PayloadAccess,
  place: string,
  renamed: Map<ContentHash, { readonly contentHash: ContentHash; readonly lenBytes: number }>,
): unknown {
  switch (field.shape) {
    case 'plain':
      if (field.wire === 'url') return scrubber.url(value as string, side)
      if (field.wire === 'args') return scrubber.argv(value as readonly string[])
      return typeof value === 'string'
        ? scrubber.text(value, side, place)
        : scrubber.value(value, side, place)
    case 'headers':
      return (value as HeaderPairs).map(([name, text]) => [
        scrubber.text(name, side, place),
        scrubber.header(name, text, side),
      ])
    case 'json':
      return scrubber.value(value as Json, side, place)
    case 'chunk':
      return scrubChunk(value as Chunk, side, scrubber, access, place)
    case 'payload': {
      const payload = value as Payload
      const clean = scrubPayload(payload, side, scrubber, access, place)
      if (clean.contentHash !== payload.contentHash)
        renamed.set(payload.contentHash, { contentHash: clean.contentHash, lenBytes: sizeOf(clean) })
      return clean
    }
  }
}

function scrubPayload(
  payload: Payload,
  side: Side,
  scrubber: Scrubber,
  access: PayloadAccess,
  place: string,
): Payload {
  const before = scrubber.hits
  const clean = scrubber.bytes(access.resolve(payload), side, place)
  return scrubber.hits === before ? payload : access.payload(clean)
}

function scrubChunk(
  chunk: Chunk,
  side: Side,
  scrubber: Scrubber,
  access: PayloadAccess,
  place: string,
): Chunk {
  const before = scrubber.hits
  const clean = scrubber.bytes(access.resolve(chunk), side, place)
  return scrubber.hits === before ? chunk : access.chunk(clean)
}

/** `content_hash` and `len_bytes` of a file, digests of an MCP call: whatever named the old bytes. */
function followHashes(
  clean: { [name: string]: unknown },
  renamed: ReadonlyMap<ContentHash, { readonly contentHash: ContentHash; readonly lenBytes: number }>,
): void {
  for (const [name, value] of Object.entries(clean)) {
    const now = typeof value === 'string' ? renamed.get(value as ContentHash) : undefined
    if (now === undefined) continue
    clean[name] = now.contentHash
    if (name === 'contentHash' && 'lenBytes' in clean) clean.lenBytes = now.lenBytes
  }
}

function scrubExtra(extra: ExtraFields, scrubber: Scrubber, place: string): ExtraFields {
  return Object.fromEntries(
    Object.entries(extra).map(([wire, json]) => [wire, scrubber.jsonText(json, 'sent', `${place}.${wire}`)]),
  )
}

function sizeOf(payload: Payload): number {
  return payload.form === 'inline' ? utf8(payload.text).byteLength : payload.lenBytes
}
