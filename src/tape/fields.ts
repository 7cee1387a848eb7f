/**
 * Field types of tape lines: how a value is read, written, described as JSON Schema, and on which side it
 * counts when it is scrubbed.
 *
 * Decoding is as tolerant as upstream's reader and no more: a wrong type is refused with the field's name, an
 * unknown field is kept by the record codec. Encoding gives JSON text, key order fixed by the table that uses
 * these.
 *
 * Decision 0241.
 */
import type { ContentHash, DecimalText, Json, Label } from '../base/index.ts'
import type { Side } from '../scrub/index.ts'

export type JsonSchema = { readonly [key: string]: Json }

export type Field<T> = {
  readonly wire: string
  /**
   * `required`: must be there. `nullable`: written as null, may be missing when read. `optional`: written
   * only when it has a value.
   */
  readonly presence: 'required' | 'nullable' | 'optional'
  /** `kept`: hashes, labels and numbers, which the scrubber leaves alone. */
  readonly side: Side | 'kept'
  readonly shape: 'plain' | 'payload' | 'chunk' | 'headers' | 'json'
  readonly schema: JsonSchema
  decode(value: unknown): T
  encode(value: T): string
}

export class FieldError extends Error {
  readonly expected: string
  constructor(expected: string) {
    super(`expected ${expected}`)
    this.expected = expected
  }
}

/** A payload in memory: in the line, or named by its hash in the CAS. */
export type Payload =
  | { readonly form: 'inline'; readonly contentHash: ContentHash; readonly text: string }
  | { readonly form: 'cas'; readonly contentHash: ContentHash; readonly lenBytes: number }

/**
 * A chunk of a stream: small ones sit in the line without a hash of their own. `asEvents`: server-sent events
 * in the text are written as JSON.
 */
export type Chunk =
  | { readonly form: 'text'; readonly text: string; readonly asEvents?: true }
  | { readonly form: 'base64'; readonly bytes: Uint8Array }
  | { readonly form: 'cas'; readonly contentHash: ContentHash; readonly lenBytes: number }

export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/** Upstream's types of integers. A field without one is ours, and takes every integer. */
export type IntegerType = 'u64' | 'i64' | 'i32'

const RANGES: Readonly<Record<IntegerType, readonly [min: number, max: number]>> = {
  u64: [0, 2 ** 64],
  i64: [-(2 ** 63), 2 ** 63],
  i32: [-(2 ** 31), 2 ** 31 - 1],
}

export function isInteger(value: unknown, type: IntegerType): value is number {
  if (typeof value !== 'number' || !Number.isInteger(value) || Object.is(value, -0)) return false
  // Not destructured: that would iterate, for each number of a tape.
  const range = RANGES[type]
  return value >= range[0] && value <= range[1]
}

/** Made once: every start makes all fields, and few programs read a schema. */
const STRING: JsonSchema = { type: 'string' }
const STRINGS: JsonSchema = { type: 'array', items: STRING }
const DECIMAL: JsonSchema = { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' }
const INTEGER: JsonSchema = { type: 'integer' }
const PAIRS: JsonSchema = {
  type: 'array',
  items: { type: 'array', prefixItems: [STRING, STRING], minItems: 2, maxItems: 2 },
}

export function integer(wire: string, type?: IntegerType): Field<number> {
  return {
    wire,
    presence: 'required',
    side: 'kept',
    shape: 'plain',
    schema: integerSchema(type),
    decode: type === undefined ? readInteger : (value) => readIntegerOf(value, type),
    encode: String,
  }
}

/** Lengths in bytes: none is zero. */
export function lengths(wire: string): Field<readonly number[]> {
  return {
    wire,
    presence: 'required',
    side: 'kept',
    shape: 'plain',
    schema: { type: 'array', items: { type: 'integer', minimum: 1 } },
    decode: readLengths,
    encode: JSON.stringify,
  }
}

function integerSchema(type: IntegerType | undefined): JsonSchema {
  if (type === undefined || type === 'i64') return INTEGER
  const [minimum, maximum] = RANGES[type]
  return type === 'u64' ? { type: 'integer', minimum } : { type: 'integer', minimum, maximum }
}

export function text(wire: string, side: Side): Field<string> {
  return {
    wire,
    presence: 'required',
    side,
    shape: 'plain',
    schema: STRING,
    decode: readText,
    encode: JSON.stringify,
  }
}

export function texts(wire: string, side: Side): Field<readonly string[]> {
  return {
    wire,
    presence: 'required',
    side,
    shape: 'plain',
    schema: STRINGS,
    decode: readTexts,
    encode: JSON.stringify,
  }
}

export function labelled(wire: string): Field<Label> {
  return keptText(wire, STRING)
}

export function decimal(wire: string): Field<DecimalText> {
  return keptText(wire, DECIMAL)
}

/**
 * Not checked for form when read: a foreign tape may carry anything, and the CAS checks a name before it
 * becomes a path.
 */
export function hash(wire: string): Field<ContentHash> {
  return keptText(wire, STRING)
}

/** Text that is never scrubbed, because its type limits what it can contain. */
function keptText<T extends string>(wire: string, schema: JsonSchema): Field<T> {
  return {
    wire,
    presence: 'required',
    side: 'kept',
    shape: 'plain',
    schema,
    decode: readText as (value: unknown) => T,
    encode: JSON.stringify,
  }
}

export function hashes(wire: string): Field<readonly ContentHash[]> {
  return {
    wire,
    presence: 'required',
    side: 'kept',
    shape: 'plain',
    schema: STRINGS,
    decode: readTexts as (value: unknown) => readonly ContentHash[],
    encode: JSON.stringify,
  }
}

export function oneOf<const V extends string>(wire: string, values: readonly V[]): Field<V> {
  const known = new Map<unknown, V>(values.map((value) => [value, value]))
  return {
    wire,
    presence: 'required',
    side: 'kept',
    shape: 'plain',
    schema: { type: 'string', enum: [...values] },
    decode(value) {
      const found = known.get(value)
      if (found === undefined) throw new FieldError(`one of ${values.join(', ')}`)
      return found
    },
    encode: JSON.stringify,
  }
}

export function json(wire: string, side: Side | 'kept'): Field<Json> {
  return {
    wire,
    presence: 'required',
    side,
    shape: 'json',
    schema: {},
    decode: readJson,
    encode: JSON.stringify,
  }
}

export function headerPairs(wire: string, side: Side): Field<HeaderPairs> {
  // The same list is often written many times over.
  let last: HeaderPairs | null = null
  let lastText = ''
  return {
    wire,
    presence: 'required',
    side,
    shape: 'headers',
    schema: PAIRS,
    decode: readPairs,
    encode(value) {
      if (value !== last) {
        lastText = JSON.stringify(value)
        last = value
      }
      return lastText
    },
  }
}

type Nullable<T> = Field<T | null> & { readonly presence: 'nullable' }
type Optional<T> = Field<T> & { readonly presence: 'optional' }

export function nullable<T>(field: Field<T>): Nullable<T> {
  return {
    ...field,
    presence: 'nullable',
    schema: { anyOf: [field.schema, { type: 'null' }] },
    decode: (value) => (value === null || value === undefined ? null : field.decode(value)),
    encode: (value) => (value === null ? 'null' : field.encode(value)),
  }
}

/** A field of ours, absent from upstream's tapes. Null is read as absent. */
export function optional<T>(field: Field<T>): Optional<T> {
  return { ...field, presence: 'optional' }
}

function readInteger(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new FieldError('an integer')
  return value
}

function readIntegerOf(value: unknown, type: IntegerType): number {
  if (!isInteger(value, type)) throw new FieldError(`an integer (${type})`)
  return value
}

function readText(value: unknown): string {
  if (typeof value !== 'string') throw new FieldError('a string')
  return value
}

function readJson(value: unknown): Json {
  if (value === undefined) throw new FieldError('a value')
  return value as Json
}

function readLengths(value: unknown): readonly number[] {
  if (!Array.isArray(value) || !value.every((item) => Number.isSafeInteger(item) && item > 0))
    throw new FieldError('a list of lengths')
  return value
}

function readPairs(value: unknown): HeaderPairs {
  if (!Array.isArray(value)) throw new FieldError('a list of header pairs')
  return value.map((pair) => {
    if (!Array.isArray(pair) || pair.length !== 2) throw new FieldError('a list of header pairs')
    return [readText(pair[0]), readText(pair[1])] as const
  })
}

function readTexts(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new FieldError('a list of strings')
  return value
}
