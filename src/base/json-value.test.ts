import { expect, test } from 'vitest'
import {
  fieldsOf,
  isObject,
  isU32,
  isU64,
  jsonOf,
  listOf,
  numberOf,
  objectsOf,
  textOf,
} from './json-value.ts'

const values = {
  list: [{ a: 1 }],
  null: null,
  text: 'text',
  number: 1.5,
  object: { a: 1 },
  missing: undefined,
  infinite: Number.POSITIVE_INFINITY,
}

test.each([
  ['isObject', isObject, { object: true }, false],
  ['fieldsOf', fieldsOf, { object: { a: 1 } }, {}],
  ['listOf', listOf, { list: [{ a: 1 }] }, []],
  ['objectsOf', objectsOf, { list: [{ a: 1 }] }, []],
  ['textOf', textOf, { text: 'text' }, null],
  ['numberOf', numberOf, { number: 1.5 }, null],
] as const)('%s returns the value of its own type, and nothing for any other', (_, read, own, other) => {
  for (const [name, value] of Object.entries(values)) {
    expect(read(value), name).toEqual(Object.entries(own).find(([key]) => key === name)?.[1] ?? other)
  }
})

test('objectsOf skips the items that are not objects', () => {
  expect(objectsOf([{ a: 1 }, null, [1], 'text', { b: 2 }])).toEqual([{ a: 1 }, { b: 2 }])
})

test.each([
  [0, true, true],
  [4294967295, true, true],
  [4294967296, false, true],
  [2 ** 64, false, false],
  [-1, false, false],
  [1.5, false, false],
  ['1', false, false],
])('%s fits into 32 bits: %s, into 64 bits: %s', (value, in32, in64) => {
  expect([isU32(value), isU64(value)]).toEqual([in32, in64])
})

test('jsonOf returns undefined for text that is not JSON', () => {
  expect([jsonOf('{"a":[1]}'), jsonOf('null'), jsonOf('[DONE]'), jsonOf('')]).toEqual([
    { a: [1] },
    null,
    undefined,
    undefined,
  ])
})
