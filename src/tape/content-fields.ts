/** Fields that hold content: a payload with a hash, and a chunk of a stream. Types: ./fields.ts. */
import { type ContentHash, decodeEvents, encodeEvents, isObject } from '../base/index.ts'
import type { Side } from '../scrub/index.ts'
import { type Chunk, type Field, FieldError, isInteger, type JsonSchema, type Payload } from './fields.ts'

export function payload(wire: string, side: Side): Field<Payload> {
  return {
    wire,
    presence: 'required',
    side,
    shape: 'payload',
    schema: PAYLOAD,
    decode: readPayload,
    encode: payloadText,
  }
}

export function chunk(wire: string, side: Side): Field<Chunk> {
  return {
    wire,
    presence: 'required',
    side,
    shape: 'chunk',
    schema: CHUNK,
    decode: readChunk,
    encode: chunkText,
  }
}

const PAYLOAD: JsonSchema = {
  anyOf: [
    {
      type: 'object',
      required: ['content_hash', 'text'],
      properties: { content_hash: { type: 'string' }, text: { type: 'string' } },
    },
    {
      type: 'object',
      required: ['content_hash', 'len_bytes'],
      properties: { content_hash: { type: 'string' }, len_bytes: { type: 'integer' } },
    },
  ],
}

const CHUNK: JsonSchema = {
  anyOf: [
    named('text', 'string'),
    named('base64', 'string'),
    named('content_hash', 'string'),
    named('events', 'array'),
  ],
}

function named(name: string, type: string): JsonSchema {
  return { type: 'object', required: [name], properties: { [name]: { type } } }
}

function readPayload(value: unknown): Payload {
  if (!isObject(value) || typeof value.content_hash !== 'string') throw new FieldError('a payload')
  const contentHash = value.content_hash as ContentHash
  if (typeof value.text === 'string') return { form: 'inline', contentHash, text: value.text }
  if (isInteger(value.len_bytes, 'u64')) return { form: 'cas', contentHash, lenBytes: value.len_bytes }
  throw new FieldError('a payload with text or len_bytes')
}

function payloadText(value: Payload): string {
  const named = `{"content_hash":${JSON.stringify(value.contentHash)},`
  return value.form === 'inline'
    ? `${named}"text":${JSON.stringify(value.text)}}`
    : `${named}"len_bytes":${value.lenBytes}}`
}

function readChunk(value: unknown): Chunk {
  if (!isObject(value)) throw new FieldError('a chunk')
  if (typeof value.text === 'string') return { form: 'text', text: value.text }
  if (typeof value.base64 === 'string')
    return { form: 'base64', bytes: new Uint8Array(Buffer.from(value.base64, 'base64')) }
  const events = decodeEvents(value.events, value.rest)
  if (events !== null) return { form: 'text', text: events, asEvents: true }
  if (typeof value.content_hash !== 'string' || typeof value.len_bytes !== 'number')
    throw new FieldError('a chunk')
  return { form: 'cas', contentHash: value.content_hash as ContentHash, lenBytes: value.len_bytes }
}

function chunkText(value: Chunk): string {
  switch (value.form) {
    case 'text':
      return `{${eventsOf(value) ?? `"text":${JSON.stringify(value.text)}`}}`
    case 'base64':
      return `{"base64":"${base64Of(value.bytes)}"}`
    case 'cas':
      return `{"content_hash":${JSON.stringify(value.contentHash)},"len_bytes":${value.lenBytes}}`
  }
}

/** Null if the text is written as one string. */
function eventsOf({ text, asEvents }: { readonly text: string; readonly asEvents?: true }): string | null {
  return asEvents === true ? encodeEvents(text) : null
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
