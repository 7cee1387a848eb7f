import { describe, expect, test } from 'vitest'
import type { Json } from '../../../base/index.ts'
import { schemaChanges } from './schema-changes.ts'

const object = (properties: Json, more: object = {}): Json => ({ type: 'object', properties, ...more })
const text = { type: 'string' }

/** What changes, where it shows, and whether it breaks who sends and who receives. */
const rows: readonly (readonly [
  what: string,
  before: Json,
  after: Json,
  path: string,
  sent: boolean,
  received: boolean,
])[] = [
  ['an optional field comes', object({}), object({ a: text }), '$.properties.a', false, false],
  ['a field goes', object({ a: text }), object({}), '$.properties.a', true, true],
  [
    'a field becomes required',
    object({ a: text }),
    object({ a: text }, { required: ['a'] }),
    '$.required',
    true,
    false,
  ],
  [
    'a field becomes optional',
    object({ a: text }, { required: ['a'] }),
    object({ a: text }),
    '$.required',
    false,
    true,
  ],
  [
    'a type is another',
    object({ a: text }),
    object({ a: { type: 'number' } }),
    '$.properties.a.type',
    true,
    true,
  ],
  [
    'a type is wider',
    object({ a: text }),
    object({ a: { type: ['string', 'null'] } }),
    '$.properties.a.type',
    false,
    true,
  ],
  ['a number becomes whole', { type: 'number' }, { type: 'integer' }, '$.type', true, false],
  ['a value leaves an enum', { enum: ['x', 'y'] }, { enum: ['x'] }, '$.enum', true, false],
  ['a value joins an enum', { enum: ['x'] }, { enum: ['x', 'y'] }, '$.enum', false, true],
  ['an enum is another', { enum: ['x'] }, { enum: ['y'] }, '$.enum', true, true],
  ['an enum where all was well', {}, { enum: ['x'] }, '$.enum', true, false],
  [
    'a lower bound rises',
    { type: 'number', minimum: 1 },
    { type: 'number', minimum: 2 },
    '$.minimum',
    true,
    false,
  ],
  [
    'an upper bound rises',
    { type: 'string', maxLength: 1 },
    { type: 'string', maxLength: 2 },
    '$.maxLength',
    false,
    true,
  ],
  ['a bound goes', { type: 'string', maxLength: 1 }, { type: 'string' }, '$.maxLength', false, true],
  [
    'a closed object',
    object({}),
    object({}, { additionalProperties: false }),
    '$.additionalProperties',
    true,
    false,
  ],
  [
    'an open object says so',
    object({}),
    object({}, { additionalProperties: true }),
    '$.additionalProperties',
    false,
    false,
  ],
  ['a pattern', { type: 'string', pattern: 'a' }, { type: 'string', pattern: 'b' }, '$.pattern', true, true],
  ['a keyword of tomorrow', { type: 'string' }, { type: 'string', shiny: 1 }, '$.shiny', true, true],
  [
    'words',
    { type: 'string', description: 'a' },
    { type: 'string', description: 'b', title: 't' },
    '$.description',
    false,
    false,
  ],
  [
    'an item',
    { type: 'array', items: text },
    { type: 'array', items: { type: 'number' } },
    '$.items.type',
    true,
    true,
  ],
  ['nothing is allowed', true, false, '$', true, false],
  [
    'a name that is a trap',
    object({}),
    object(JSON.parse('{"__proto__":{"type":"string"}}')),
    '$.properties.__proto__',
    false,
    false,
  ],
]

describe.each(rows)('%s', (_what, before, after, path, sent, received) => {
  test.each([
    ['sent', sent],
    ['received', received],
  ] as const)('%s', (side, breaking) => {
    const [change] = schemaChanges(before, after, side)
    expect(change).toMatchObject({ path, breaking })
  })
})

test('equal schemas, whatever the order of their keys, do not differ', () => {
  expect(schemaChanges({ type: 'object', a: 1 }, { a: 1, type: 'object' }, 'sent')).toEqual([])
})

test('a schema of great depth ends', () => {
  const deep = (levels: number, leaf: Json): Json =>
    levels === 0 ? leaf : { properties: { a: deep(levels - 1, leaf) } }
  expect(schemaChanges(deep(300, 1), deep(300, 2), 'sent')).toHaveLength(1)
})
