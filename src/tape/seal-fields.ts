/**
 * The fields of a seal that are JSON objects, with the form that they must have. A seal of another form is
 * refused like any other record with a wrong type, so no command has to check it again. Members that a newer
 * writer added are kept.
 */
import { isObject, type Json } from '../base/index.ts'
import { type Field, FieldError, isInteger, type JsonSchema } from './fields.ts'

const text: JsonSchema = { type: 'string' }
const textOrNull: JsonSchema = { anyOf: [text, { type: 'null' }] }

/** `captured`, `passed_through`, `denied` or `unknown` by boundary; a newer writer may have other words. */
export function completeness(wire: string): Field<Json> {
  const schema = { type: 'object', additionalProperties: text }
  return shaped(wire, 'an object with a text for each boundary', schema, (value) =>
    Object.values(value).every(isText),
  )
}

export function processExit(wire: string): Field<Json> {
  const schema = {
    type: 'object',
    required: ['code', 'signal'],
    properties: { code: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, signal: textOrNull },
  }
  return shaped(
    wire,
    'an object with code and signal',
    schema,
    ({ code, signal }) => (code === null || isInteger(code, 'i64')) && isTextOrNull(signal),
  )
}

export function outputDigest(wire: string): Field<Json> {
  const schema = {
    type: 'object',
    required: ['bytes', 'hash'],
    properties: { bytes: { type: 'integer', minimum: 0 }, hash: text },
  }
  return shaped(
    wire,
    'an object with bytes and hash',
    schema,
    ({ bytes, hash }) => isInteger(bytes, 'u64') && isText(hash),
  )
}

export function childSeals(wire: string): Field<Json> {
  const killed = { type: 'object', required: ['hash'], properties: { hash: text } }
  const schema = { type: 'object', additionalProperties: { anyOf: [text, { type: 'null' }, killed] } }
  return shaped(wire, 'an object with a chain, a hash or null for each child', schema, (value) =>
    Object.values(value).every((seal) => isTextOrNull(seal) || (isObject(seal) && isText(seal.hash))),
  )
}

export function namedPlaces(wire: string): Field<Json> {
  const schema = {
    type: 'object',
    properties: { root: textOrNull, home: textOrNull, temp: textOrNull },
  }
  return shaped(wire, 'an object with root, home and temp', schema, ({ root, home, temp }) =>
    [root, home, temp].every((place) => place === undefined || isTextOrNull(place)),
  )
}

function shaped(
  wire: string,
  expected: string,
  schema: JsonSchema,
  is: (value: { readonly [key: string]: unknown }) => boolean,
): Field<Json> {
  return {
    wire,
    presence: 'required',
    side: 'kept',
    shape: 'json',
    schema,
    decode(value) {
      if (!isObject(value) || !is(value)) throw new FieldError(expected)
      return value as Json
    },
    encode: JSON.stringify,
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value)
}
