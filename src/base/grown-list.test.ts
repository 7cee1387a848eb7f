import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentHashOfText } from './blake3.ts'
import { utf8 } from './bytes.ts'
import type { Json } from './canonical-json.ts'
import { GrowingHash } from './growing-hash.ts'
import { GrowingJson } from './growing-json.ts'
import { GrowingMap } from './growing-map.ts'
import { knownCommon, noteGrown, withoutFirst } from './grown-list.ts'

it('knows what a list and the one that it was grown from begin with', () => {
  const [first, second, third] = [
    [1, 2],
    [1, 2, 3],
    [1, 9],
  ]
  noteGrown(second, first, 2)
  expect([knownCommon(first, second), knownCommon(first, first), knownCommon(second, first)]).toEqual([
    2, 2, 0,
  ])
  noteGrown(third, second, 1)
  expect([knownCommon(second, third), knownCommon(first, second)]).toEqual([1, 0])
})

it('knows the same of two lists without their first items', () => {
  const [first, second, third] = [[1, 2], [1, 2, 3], [9]]
  const rest = withoutFirst(first)
  noteGrown(second, first, 2)
  expect(withoutFirst(second)).toEqual([2, 3])
  expect(knownCommon(rest, withoutFirst(second))).toBe(1)
  noteGrown(third, second, 0)
  expect(knownCommon(withoutFirst(second), withoutFirst(third))).toBe(0)
})

it('changes no value and no hash of chats that take turns, are cut back and go on', () => {
  const step = fc.record({
    chat: fc.nat({ max: 2 }),
    drop: fc.constantFrom(0, 0, 0, 1, 2),
    add: fc.array(fc.constantFrom('"a"', '{"b":1.0}', '{"c":"0.5"}'), { maxLength: 3 }),
    model: fc.constantFrom('1', '1', '2'),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
      const [reader, hashes] = [new GrowingJson(['messages']), new GrowingHash()]
      const printed = new GrowingMap<Json, string>()
      const printedHashes = new GrowingHash()
      const printedRests = new GrowingMap<Json, string>()
      const restHashes = new GrowingHash()
      const chats: string[][] = [[], [], []]
      for (const { chat, drop, add, model } of steps) {
        const before = chats[chat] ?? []
        const messages = [...before.slice(0, Math.max(0, before.length - drop)), ...add]
        chats[chat] = messages
        const read = reader.read(utf8(`{"model":${model},"messages":[${messages.join(',')}]}`))
        const values = (read?.value.messages ?? []) as readonly Json[]
        const texts = printed.map(values, (value) => JSON.stringify(value))
        expect(texts).toEqual(messages.map((text) => JSON.stringify(JSON.parse(text))))
        expect(printedHashes.hash('[', texts, ']')).toBe(contentHashOfText(`[${texts.join(',')}]`))
        const others = printedRests.map(withoutFirst(values), (value) => JSON.stringify(value))
        expect(restHashes.hash('[', others, ']')).toBe(contentHashOfText(`[${texts.slice(1).join(',')}]`))
        const { head = '', pieces = [], tail = '' } = read?.canonical() ?? {}
        expect(pieces).toEqual(messages)
        expect(hashes.hash(head, pieces, tail)).toBe(contentHashOfText(`${head}${pieces.join(',')}${tail}`))
      }
    }),
    { numRuns: 200 },
  )
})
