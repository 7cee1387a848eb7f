import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { grow, grownRequestOf } from '../../tape/grown-request.ts'
import { KnownParts, RequestLedger, requestParts as scrubbedParts } from './request-ledger.ts'

// Few and long enough to be worth a difference, so that requests of one run often begin alike.
const content = fc.oneof(
  { weight: 9, arbitrary: fc.constant('the same words '.repeat(6)) },
  fc.string({ maxLength: 40 }),
)
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content })
const request = fc
  .dictionary(
    fc.constantFrom('model', 'tools', 'stream', 'system', '__proto__', '9', 'a'),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 5 },
  )
  .chain((members) =>
    fc
      .record({
        list: fc.constantFrom('messages', 'input', 'contents'),
        messages: fc.array(message, { maxLength: 6 }),
        first: fc.boolean(),
      })
      .map(({ list, messages, first }) => {
        const entries = Object.entries(members)
        return Object.fromEntries(
          first ? [[list, messages], ...entries] : [...entries, [list, messages]],
        ) as JsonObject
      }),
  )

test('a request rebuilt from its difference is the request, byte for byte', () => {
  let differences = 0
  fc.assert(
    fc.property(fc.array(request, { minLength: 2, maxLength: 8 }), (requests) => {
      const ledger = new RequestLedger()
      const known: JsonObject[] = []
      for (const each of requests) {
        // As it comes from a body: parsed.
        const body: JsonObject = JSON.parse(JSON.stringify(each))
        const difference = ledger.difference(partsOf(body))
        if (difference !== null) {
          differences += 1
          const read = grownRequestOf(JSON.parse(JSON.stringify(difference)))
          expect(read).not.toBe(null)
          if (read !== null)
            expect(JSON.stringify(grow(known[read.base] ?? {}, read))).toBe(JSON.stringify(body))
        }
        ledger.add(known.length, partsOf(body))
        known.push(body)
      }
    }),
    { numRuns: 500 },
  )
  expect(differences).toBeGreaterThan(100)
})

test('the base is the request that spares most, the latest among equals', () => {
  const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
  const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  const chat = fc.record({
    model: fc.constantFrom('m'.repeat(30), 'n'.repeat(50)),
    tools: fc.constantFrom('t'.repeat(70), null),
    chat: fc.nat({ max: 1 }),
    drop: fc.constantFrom(0, 0, 0, 1, 3),
    add: fc.array(message, { maxLength: 2 }),
  })
  fc.assert(
    fc.property(fc.array(chat, { minLength: 2, maxLength: 12 }), (turns) => {
      const [ledger, known] = [new RequestLedger(), new KnownParts()]
      const chats: (readonly JsonObject[])[] = [[], []]
      const before: { model: string; tools: string | null; messages: readonly JsonObject[] }[] = []
      for (const { model, tools, chat: at, drop, add } of turns) {
        const history = chats[at] ?? []
        const messages = [...history.slice(0, Math.max(0, history.length - drop)), ...add]
        chats[at] = messages
        const body = { model, tools, messages }
        const spared = before.map((other) => {
          const differs = messages.findIndex((each, n) => !isEqual(each, other.messages[n]))
          const keep = differs === -1 ? messages.length : differs
          const members = [
            ...(other.model === model ? [model] : []),
            ...(other.tools === tools ? [tools] : []),
          ]
          const bytes = [...members, ...messages.slice(0, keep)].reduce<number>(
            (sum, each) => sum + size(each),
            0,
          )
          return { keep, bytes }
        })
        const most = Math.max(0, ...spared.map(({ bytes }) => bytes))
        const base = spared.findLastIndex(({ bytes }) => bytes === most)
        const parts = scrubbedParts(fromDisk<JsonObject>(body), known)
        const difference = ledger.difference(parts)
        if (most < 64) expect(difference).toBe(null)
        else expect(difference).toMatchObject({ base, keep: spared[base]?.keep })
        ledger.add(before.length, parts)
        before.push(body)
      }
    }),
    { numRuns: 500 },
  )
})

const long = (text: string): string => text.padEnd(80, '.')

test('two conversations side by side each grow from their own last turn', () => {
  const ledger = new RequestLedger()
  const deliver = (name: string, turns: number): JsonObject => ({
    model: 'm',
    messages: Array.from({ length: turns }, (_, at) => ({ role: 'user', content: long(`${name} ${at}`) })),
  })
  ledger.add(10, partsOf(deliver('a', 1)))
  ledger.add(20, partsOf(deliver('b', 1)))
  expect(ledger.difference(partsOf(deliver('a', 2)))).toEqual({
    base: 10,
    keep: 1,
    append: [{ role: 'user', content: long('a 1') }],
  })
  expect(ledger.difference(partsOf(deliver('b', 3)))).toMatchObject({ base: 20, keep: 1 })
  expect(ledger.difference(partsOf(deliver('c', 3)))).toBe(null)
})

test('a retry adds nothing, and a history that was cut back keeps what is left', () => {
  const ledger = new RequestLedger()
  const body = {
    messages: [1, 2, 3].map((n) => ({ role: 'user', content: long(String(n)) })),
    tools: [long('tool')],
  }
  ledger.add(1, partsOf(body))
  expect(ledger.difference(partsOf(body))).toEqual({ base: 1, keep: 3, append: [] })
  expect(ledger.difference(partsOf({ ...body, messages: body.messages.slice(0, 1) }))).toEqual({
    base: 1,
    keep: 1,
    append: [],
  })
  expect(ledger.difference(partsOf({ messages: body.messages }))).toEqual({
    base: 1,
    keep: 3,
    append: [],
    drop: ['tools'],
  })
})

test('forgets old calls, so that memory does not grow', () => {
  const ledger = new RequestLedger()
  const body = (n: number): JsonObject => ({ messages: [{ role: 'user', content: long(String(n)) }] })
  for (let n = 0; n < 17; n += 1) ledger.add(n, partsOf(body(n)))
  expect(ledger.difference(partsOf(body(0)))).toBe(null)
  expect(ledger.difference(partsOf(body(1)))).toMatchObject({ base: 1 })
})

function partsOf(body: JsonObject): ReturnType<typeof scrubbedParts> {
  return scrubbedParts(fromDisk(body))
}
