import { expect, test } from 'vitest'
import { jsonItems, jsonMember, jsonMembers, withoutMembers } from './json-members.ts'

test('every part keeps its spelling', () => {
  expect(jsonMembers(' {"a": 1.0, "b":{"c":[-0.0]},"d" : [ ] } ')).toEqual([
    ['a', '1.0'],
    ['b', '{"c":[-0.0]}'],
    ['d', '[ ]'],
  ])
  expect(jsonItems('[12345678901234567890, {"a":1}, "x"]')).toEqual([
    '12345678901234567890',
    '{"a":1}',
    '"x"',
  ])
})

test.each([['[]'], ['1'], ['"{}"'], ['null']])('%s is no object', (text) => {
  expect(jsonMembers(text)).toBe(null)
})

test('a repeated name: the last value counts, and all of them go', () => {
  expect(jsonMember('{"id":1,"id":2}', 'id')).toBe('2')
  expect(withoutMembers('{"id":1,"x":3,"id":2}', ['id'])).toBe('{"x":3}')
  expect(jsonMember('{"a":1}', 'id')).toBe(undefined)
})

test.each([['{"a":1'], ['{"a":1} x'], ['']])('%j is refused', (text) => {
  expect(() => jsonMembers(text)).toThrow('not JSON')
})
