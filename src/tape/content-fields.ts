/** Fields that hold content: a payload with a hash, and a chunk of a stream. Types: ./fields.ts. */
import { type ContentHash, isObject } from '../base/index.ts'
import type { Side } from '../scrub/index.ts'
import { type Chunk, type Field, FieldError, isInteger, type JsonSchema, type Payload } from './fields.ts'

export function payload(wire: string, side: Side): Field<Payload> {
  return {
    wire,
    presence: 'required',
    side,
    shape: 'payload',
    schema: {
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
    },
    decode(value) {
      if (!isObject(value) || typeof value.content_hash !== 'string') throw new FieldError('a payload')
      const contentHash = value.content_hash as ContentHash
      if (typeof value.text === 'string') return { form: 'inline', contentHash, text: value.text }
      if (isInteger(value.len_bytes, 'u64')) return { form: 'cas', contentHash, lenBytes: value.len_bytes }
      throw new FieldError('a payload with text or len_bytes')
    },
    encode(value) {
      const named = `{"content_hash":${JSON.stringify(value.contentHash)},`
      return value.form === 'inline'
        ? `${named}"text":${JSON.stringify(value.text)}}`
        : `${named}"len_bytes":${value.lenBytes}}`
    },
  }
}

export function chunk(wire: string, side: Side): Field<Chunk> {
  const named = (name: string, type: string): JsonSchema => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type } },
  })
  return {
    wire,
    presence: 'required',
    side,
    shape: 'chunk',
    schema: { anyOf: [named('text', 'string'), named('base64', 'string'), named('content_hash', 'string')] },
    decode(value) {
      if (!isObject(value)) throw new FieldError('a chunk')
      if (typeof value.text === 'string') return { form: 'text', text: value.text }
      if (typeof value.base64 === 'string')
        return { form: 'base64', bytes: new Uint8Array(Buffer.from(value.base64, 'base64')) }
      if (typeof value.content_hash !== 'string' || typeof value.len_bytes !== 'number')
        throw new FieldError('a chunk')
      return { form: 'cas', contentHash: value.content_hash as ContentHash, lenBytes: value.len_bytes }
    },
    encode(value) {
      switch (value.form) {
        case 'text':
          return `{"text":${JSON.stringify(value.text)}}`
        case 'base64':
          return `{"base64":"${Buffer.from(value.bytes).toString('base64')}"}`
        case 'cas':
          return `{"content_hash":${JSON.stringify(value.contentHash)},"len_bytes":${value.lenBytes}}`
      }
    },
  }
}
