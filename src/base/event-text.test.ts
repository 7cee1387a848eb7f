import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEvents, encodeEvents } from './event-text.ts'

test.each([
  ['data: {"a":1}\n\n', '"events":[{"a":1}]'],
  ['data: {"a":1}\n\ndata: {"b":[]}\n\n', '"events":[{"a":1},{"b":[]}]'],
  ['event: delta\ndata: {"a":"é"}\n\n', '"events":[["delta",{"a":"é"}]]'],
  ['data: {"a":1}\n\ndata: [DONE]\n\n', '"events":[{"a":1}],"rest":"data: [DONE]\\n\\n"'],
  ['data: {"a":1}\n\nevent: no end', '"events":[{"a":1}],"rest":"event: no end"'],
  ['data: {"a":1}\n\ndata: {"a":1.0}\n\n', '"events":[{"a":1}],"rest":"data: {\\"a\\":1.0}\\n\\n"'],
])('events are JSON values, and the rest is text: %j', (text, members) => {
  expect(encodeEvents(text)).toBe(members)
  const { events, rest } = JSON.parse(`{${members}}`)
  expect(decodeEvents(events, rest)).toBe(text)
})

test.each([
  '',
  'word',
  'data: {"a":1}',
  'data: {"a":1}\n',
  'data:{"a":1}\n\n',
  'data: [1]\n\n',
  'data: {"a": 1}\n\n',
  'data: {"a":1e3}\n\n',
  'data: {"2":1,"1":1}\n\n',
  'data: {"a":1,"a":1}\n\n',
  'data: {"a":12345678901234567890}\n\n',
  'data: {"a":"\\u00e9"}\n\n',
  'data: {"a":1}\r\n\r\n',
  'id: 1\ndata: {"a":1}\n\n',
  'event: delta\nid: 1\ndata: {"a":1}\n\n',
  `data: ${'{"a":'.repeat(101)}1${'}'.repeat(101)}\n\n`,
])('text that would not be the same again stays text: %j', (text) => {
  expect(encodeEvents(text)).toBeNull()
})

const data = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  .map((value) => JSON.stringify(value))
const event = fc.oneof(
  data.map((json) => `data: ${json}\n\n`),
  fc.tuple(fc.string({ unit: 'binary' }), data).map(([name, json]) => `event: ${name}\ndata: ${json}\n\n`),
  fc.constantFrom(
    ': ping\n\n',
    'data: [DONE]\n\n',
    'data: {"a":',
    'event: x',
    '\n',
    'data: {"__proto__":1}\n\n',
  ),
  fc.string({ unit: 'binary' }),
)

test('any text that is written as events is read as the same text', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), (events) => {
      const text = events.join('')
      const members = encodeEvents(text)
      if (members === null) return
      const read = JSON.parse(`{${members}}`)
      expect(decodeEvents(read.events, read.rest)).toBe(text)
    }),
  )
})

test.each([
  [undefined, undefined],
  [{}, undefined],
  [[1], undefined],
  [['a'], undefined],
  [[['a', 1]], undefined],
  [[[1, {}]], undefined],
  [[['a', {}, 1]], undefined],
  [[{}], 1],
])('members of other types are no events: %j, %j', (events, rest) => {
  expect(decodeEvents(events, rest)).toBeNull()
})
