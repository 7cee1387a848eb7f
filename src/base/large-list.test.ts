import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentHashOfText } from './blake3.ts'
import { utf8 } from './bytes.ts'
import { canonicalJsonText } from './canonical-json.ts'
import { readLargeList } from './large-list.ts'

const same = (text: string): string => text
const filler = 'lorem ipsum '.repeat(80)
/** Long enough to be several pieces. */
const items = (some: readonly unknown[]): readonly unknown[] =>
  Array.from({ length: 300 }, (_, n) => ({ n, filler, each: some[n % Math.max(1, some.length)] ?? null }))

const values = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 })
const names = fc.uniqueArray(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 4 })

test('the hash is that of the canonical text of the whole', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(names, values, fc.nat(3), fc.boolean(), (someNames, some, at, isSpaced) => {
      const members = someNames.map((name, index): [string, unknown] => [
        name,
        index === at % someNames.length ? items(some) : (some[index] ?? 1.5),
      ])
      const text = isSpaced
        ? JSON.stringify(Object.fromEntries(members), null, 2)
        : JSON.stringify(Object.fromEntries(members))
      const list = readLargeList(utf8(text))
      expect(list?.names.toSorted()).toEqual(someNames.toSorted())
      expect(list?.canonicalHash([], same)).toBe(contentHashOfText(canonicalJsonText(text)))
      expect(list?.canonicalHash(['a: b'], same)).toBe(contentHashOfText(`a: b\n${canonicalJsonText(text)}`))
    }),
    { numRuns: 8 },
  )
})

test('a piece is short, so that its text does not stay in memory for long', () => {
  const list = readLargeList(utf8(JSON.stringify({ list: items([1]) })))
  const lengths = [...(list?.documents() ?? [])].map((text) => text.length)
  expect(Math.max(...lengths)).toBeLessThan(40 * 1024)
})

test('each document has the frame of the whole and a part of its list', () => {
  const list = readLargeList(utf8(JSON.stringify({ name: 'x', list: items([1, '"]}']), z: { a: [1] } })))
  const documents = [...(list?.documents() ?? [])].map((text) => JSON.parse(text))
  expect(documents.length).toBeGreaterThan(2)
  expect(documents.flatMap((each) => each.list)).toEqual(items([1, '"]}']))
  for (const each of documents) expect({ ...each, list: [] }).toEqual({ name: 'x', list: [], z: { a: [1] } })
})

const long = JSON.stringify(items([]))
test.each([
  ['no object', long],
  ['no list', JSON.stringify({ a: filler.repeat(150) })],
  ['items that are no objects', JSON.stringify({ a: [1, ...items([])] })],
  ['an item that is large itself', JSON.stringify({ a: [...items([]), { b: filler.repeat(150) }] })],
  ['other members that are large', JSON.stringify({ a: items([]), b: filler.repeat(150) })],
  ['a repeated name', `{"a":1,"a":${long}}`],
  ['text behind it', `{"a":${long}} x`],
  ['a comma too much', `{"a":${long.slice(0, -1)},]}`],
  ['no end', `{"a":${long}`],
  ['deep nesting', `{"a":${long},"b":${'['.repeat(200)}${']'.repeat(200)}}`],
])('is left to other readers: %s', (_, text) => {
  expect(readLargeList(utf8(text))).toBeNull()
})

test('what looks like a list and is no JSON has no hash', () => {
  const text = `{"a":${long.replace('"n":299', '"n":2a9')}}`
  expect(readLargeList(utf8(text))?.canonicalHash([], same)).toBeNull()
})
