import fc from 'fast-check'
import { expect, it } from 'vitest'
import { utf8 } from './bytes.ts'
import { canonicalJsonText } from './canonical-json.ts'
import { GrowingJson } from './growing-json.ts'

const reader = (): GrowingJson => new GrowingJson(['messages', 'input'])

function wholeOf(read: ReturnType<GrowingJson['read']>): string {
  const { head = '', pieces = [], tail = '' } = read?.canonical() ?? {}
  return `${head}${pieces.join(',')}${tail}`
}

function expectSame(read: ReturnType<GrowingJson['read']>, text: string): void {
  expect(read).not.toBeNull()
  expect(JSON.stringify(read?.value)).toBe(JSON.stringify(JSON.parse(text)))
  expect(wholeOf(read)).toBe(canonicalJsonText(text))
  expect(read?.isCompact).toBe(JSON.stringify(JSON.parse(text)) === text)
}

const scalar = fc.oneof(
  fc.constantFrom(
    '0.5',
    '-0',
    '1.0',
    '12345678901234567890',
    '1e2',
    'true',
    'null',
    '"0.5"',
    '"\\u0041"',
    '"\\\\"',
  ),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
)
const message = fc.oneof(
  scalar,
  fc.tuple(scalar, scalar).map(([a, b]) => `{"role":"user", "content":${a},"b":[${b},{"a":${a}}]}`),
  fc.json(),
)
const step = fc.record({
  drop: fc.constantFrom(0, 0, 0, 1, 2),
  add: fc.array(message, { maxLength: 3 }),
  model: fc.constantFrom('"a"', '"b"', '1.50'),
  spaced: fc.constantFrom('', '', '', ' ', '\n '),
  first: fc.boolean(),
})

it('reads conversations that grow, shrink and change as JSON.parse and canonicalJsonText do', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const growing = reader()
      let messages: string[] = []
      for (const { drop, add, model, spaced, first } of steps) {
        messages = [...messages.slice(0, Math.max(0, messages.length - drop)), ...add]
        const list = `"messages":[${messages.join(`,${spaced}`)}]`
        const text = first
          ? `{"model":${model},${spaced}${list},"stream":true}`
          : `{${list},"temperature":${model}${spaced}}`
        expectSame(growing.read(utf8(text)), text)
      }
    }),
    { numRuns: 300 },
  )
})

it.each([
  ['no JSON', '{"messages":[1,2}'],
  ['a comma too many', '{"messages":[1,],"a":1}'],
  ['two values', '{"a":1}{"b":2}'],
  ['a repeated name', '{"a":1,"a":2}'],
  ['a name that JavaScript sorts', '{"10":1,"9":2}'],
  ['a name with a meaning', '{"__proto__":{"a":1}}'],
  ['a list', '[1]'],
  ['deep nesting', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
])('leaves %s to the caller', (_what, text) => {
  expect(reader().read(utf8(text))).toBeNull()
})

it('refuses a longer number in the place of a known one', () => {
  const growing = reader()
  growing.read(utf8('{"messages":[1]}'))
  expect(growing.read(utf8('{"messages":[1 2]}'))).toBeNull()
  // A reader without a memory accepts it.
  expect(growing.read(utf8('{"messages":[12]}'))).toBeNull()
})

it('gives the same objects for the messages that both have', () => {
  const growing = reader()
  const first = growing.read(utf8('{"messages":[{"a":1},{"b":2}]}'))?.value.messages
  const second = growing.read(utf8('{"messages":[{"a":1},{"b":3},{"c":4}]}'))?.value.messages
  if (!Array.isArray(first) || !Array.isArray(second)) throw new Error('no messages')
  expect(second[0]).toBe(first[0])
  expect(second[1]).toEqual({ b: 3 })
  expect(second).toHaveLength(3)
})

it('reads a conversation of more items than a call can have arguments', () => {
  const growing = reader()
  const items = Array.from({ length: 300_000 }, () => '1')
  growing.read(utf8(`{"messages":[{},${items.join(',')},{}]}`))
  const text = `{"messages":[{},${items.join(',')},{},2],"model":"a"}`
  expect(wholeOf(growing.read(utf8(text)))).toBe(text)
})

it('leaves bytes that are not UTF-8 to the caller, in the known part and after it', () => {
  const growing = reader()
  const bytes = (tail: string): Buffer => Buffer.from(`{"messages":["\u00e9\u{1f600}","${tail}"]}`, 'latin1')
  expect(growing.read(bytes('a'))).toBeNull()
  const known = utf8('{"messages":["\u00e9\u{1f600}"]}')
  expectSame(growing.read(known), '{"messages":["\u00e9\u{1f600}"]}')
  const cut = Buffer.concat([
    known.subarray(0, -2),
    Buffer.from(',"'),
    Buffer.from([0xc3]),
    Buffer.from('"]}'),
  ])
  expect(growing.read(cut)).toBeNull()
})
