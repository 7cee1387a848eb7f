/**
 * Generators of tape records, made from the kinds table: a new kind or field is covered without a line here.
 */
import fc, { type Arbitrary } from 'fast-check'
import { contentHash, decimalText, encodeEvents, label, utf8 } from '../../src/base/index.ts'
import type { Field } from '../../src/tape/fields.ts'
import { type KindName, kinds, type RecordKind } from '../../src/tape/kinds.ts'
import type { TapeRecord } from '../../src/tape/record.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '\u0000\n"\\', '😀\u2028\u007f'),
)
/** Also half a pair, the mark that stands for it on the tape, and what looks like it. */
const anyText = fc.oneof(
  text,
  fc.constantFrom(
    '\ud83d',
    'cut\ude00\ud83d',
    '\ufdd0',
    '\ufdd0d83d',
    '\ufdd0json{}',
    '\\ud83d',
    '\ud83d\ufdd0\ude00"\\',
  ),
)
const hash = text.map((content) => contentHash(utf8(content)))
const integer = fc.maxSafeInteger()
const shallow = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .map((value) => JSON.parse(JSON.stringify(value)))
const json = fc.oneof(
  { arbitrary: shallow, weight: 8 },
  { arbitrary: anyText, weight: 1 },
  {
    arbitrary: fc
      .tuple(shallow, anyText, fc.integer({ min: 100, max: 200 }))
      .map(([value, key, depth]) => nested(value, key, depth)),
    weight: 1,
  },
)

function nested(value: unknown, key: string, depth: number): unknown {
  let out = value
  for (let level = 0; level < depth; level += 1)
    out = level % 2 === 0 ? [out] : { [key === '__proto__' ? 'k' : key]: out, '\ufdd0json[]': key }
  return out
}

const inline = text.map((content) => ({
  form: 'inline' as const,
  contentHash: contentHash(utf8(content)),
  text: content,
}))
const cas = fc.record({ form: fc.constant('cas' as const), contentHash: hash, lenBytes: fc.nat() })
const events = fc
  .array(fc.dictionary(fc.constantFrom('id', 'n', 'text'), json), { minLength: 1, maxLength: 3 })
  .map((values) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(''))
  .map((content) =>
    encodeEvents(content) === null
      ? { form: 'text' as const, text: content }
      : { form: 'text' as const, text: content, asEvents: true as const },
  )
const binary = fc.uint8Array({ maxLength: 64 }).map((bytes) => ({ form: 'base64' as const, bytes }))

/** A value for a field, by what its schema and shape say. */
function anyValue(field: Field<unknown>): Arbitrary<unknown> {
  if (field.shape === 'payload') return fc.oneof(inline, cas)
  if (field.shape === 'chunk')
    return fc.oneof(
      text.map((content) => ({ form: 'text' as const, text: content })),
      events,
      binary,
      cas,
    )
  if (field.shape === 'headers') return fc.array(fc.tuple(anyText, anyText), { maxLength: 4 })
  if (field.shape === 'json' && hasForm(field.schema)) return ofForm(field.schema)
  if (field.shape === 'json') return json.filter((value) => field.presence !== 'optional' || value !== null)
  const schema = field.schema as {
    type?: string
    enum?: string[]
    pattern?: string
    anyOf?: { type?: string }[]
    items?: { type?: string }
    minimum?: number
    maximum?: number
  }
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.pattern !== undefined) return fc.maxSafeNat().map((number) => decimalText(`${number}.${number}`))
  const type = schema.type ?? schema.anyOf?.[0]?.type
  if (type === 'integer')
    return fc
      .maxSafeInteger()
      .filter((value) => value >= (schema.minimum ?? value))
      .map((value) => Math.min(value, schema.maximum ?? value))
  if (type === 'array' && schema.items?.type === 'integer')
    return fc.array(fc.integer({ min: 1 }), { maxLength: 3 })
  if (type === 'array') return fc.array(anyText, { maxLength: 3 })
  return field.side === 'kept'
    ? fc.oneof(hash, fc.constantFrom(label('Date.now'), label('SIGTERM')))
    : anyText
}

type Form = {
  readonly type?: string
  readonly anyOf?: readonly Form[]
  readonly minimum?: number
  readonly properties?: { readonly [name: string]: Form }
  readonly required?: readonly string[]
  readonly additionalProperties?: Form
}

/** Of a field that takes any JSON, the schema is empty, also next to null. */
function hasForm({ type, anyOf }: Form): boolean {
  return type !== undefined || (anyOf?.some((form) => form.type !== 'null' && hasForm(form)) ?? false)
}

/** A value of the form that the schema of a JSON field has. */
function ofForm({
  type,
  anyOf,
  minimum,
  properties = {},
  required,
  additionalProperties,
}: Form): Arbitrary<unknown> {
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(ofForm))
  if (type === 'null') return fc.constant(null)
  if (type === 'integer') return minimum === undefined ? integer : fc.maxSafeNat()
  if (type === 'string') return anyText
  const members = Object.entries(properties).map(([name, form]) => [name, ofForm(form)] as const)
  if (additionalProperties === undefined)
    return fc.record(Object.fromEntries(members), {
      requiredKeys: [...(required ?? [])],
      noNullPrototype: true,
    })
  const name = anyText.map((key) => (key === '__proto__' ? 'k' : key))
  return fc.dictionary(name, ofForm(additionalProperties), { maxKeys: 3, noNullPrototype: true })
}

function kindOf(name: KindName): Arbitrary<RecordKind> {
  const model: Record<string, Arbitrary<unknown>> = { kind: fc.constant(name) }
  const required: string[] = ['kind']
  for (const [key, field] of Object.entries<Field<unknown>>(kinds[name])) {
    model[key] =
      field.presence === 'nullable' ? fc.oneof(anyValue(field), fc.constant(null)) : anyValue(field)
    if (field.presence !== 'optional') required.push(key)
  }
  return fc.record(model, { requiredKeys: required as never }) as Arbitrary<unknown> as Arbitrary<RecordKind>
}

export const anyKind: Arbitrary<RecordKind> = fc.oneof(...(Object.keys(kinds) as KindName[]).map(kindOf))

export const anyRecord: Arbitrary<TapeRecord> = fc.record(
  {
    seq: fc.maxSafeNat(),
    phase: fc.constantFrom('user_script' as const, 'runtime_finalize' as const),
    virtualTimeMs: integer,
    monotonicMs: integer,
    kind: anyKind,
    scrubbed: fc.integer({ min: 1, max: 100 }),
  },
  { requiredKeys: ['seq', 'phase', 'virtualTimeMs', 'monotonicMs', 'kind'] },
)
