import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GrowingMap } from './growing-map.ts'

it('gives what map gives, however several lists grow, shrink and change', () => {
  const step = fc.record({
    list: fc.nat({ max: 5 }),
    drop: fc.constantFrom(0, 0, 0, 1, 3),
    add: fc.array(fc.nat({ max: 3 }), { maxLength: 4 }),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
      const growing = new GrowingMap<number, string>()
      const lists: number[][] = [[], [], [], [], [], []]
      for (const { list, drop, add } of steps) {
        const before = lists[list] ?? []
        const items = [...before.slice(0, Math.max(0, before.length - drop)), ...add]
        lists[list] = items
        expect(growing.map(items, (item) => `<${item}>`)).toEqual(items.map((item) => `<${item}>`))
      }
    }),
    { numRuns: 300 },
  )
})

it('maps each item of a conversation once, also of four that take turns', () => {
  const growing = new GrowingMap<object, object>()
  const chats: object[][] = [[], [], [], []]
  let calls = 0
  for (let turn = 0; turn < 10; turn += 1)
    chats.forEach((chat, at) => {
      chats[at] = [...chat, {}]
      growing.map(chats[at], (item) => {
        calls += 1
        return item
      })
    })
  expect(calls).toBe(40)
})
