import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concatBytes, textOrNull, utf8 } from '../base/index.ts'
import { createScrubber } from './create-scrubber.ts'
import { fieldHints } from './field-hints.ts'
import { Finder } from './finder.ts'
import type { Scrubber } from './scrubber.ts'
import { UnchangedJson } from './unchanged-json.ts'

const KNOWN = 'zebra-7781-quokka-4410'
const KEY = 'sk-proj-abcdefghijklmnopqrstuv0123456789ABCD'
const PADDING = 'Explain it, and name the file. '.repeat(140)

/** The text of a request body after the scrubber, sent in two pieces. */
function sent(scrubber: Scrubber, text: string): string {
  const bytes = utf8(text)
  const body = scrubber.body({ contentType: 'application/json' }, 'sent')
  const parts = [bytes.subarray(0, 100), bytes.subarray(100)].map((part) => body.push(part))
  return textOrNull(concatBytes([...parts, ...body.end().chunks])) ?? ''
}

describe('a scrubber that has seen the beginning of a body', () => {
  const message = fc.constantFrom(
    { role: 'user', content: 'plain words' },
    { role: 'user', content: `the key is ${KEY}` },
    { role: 'user', content: `half of it: ${KEY.slice(0, 20)}` },
    { role: 'tool', content: `${KEY.slice(20)} is the other half` },
    { role: 'user', content: `with ${KNOWN} inside` },
    { role: 'tool', content: JSON.stringify({ password: 'correct horse battery' }) },
    {
      role: 'tool',
      content: 'a\n"quoted" <redacted:api_key#3> \\u0041 \u00e9 \u{1f600} 100% of https://a:b@c/',
    },
    { role: 'user', content: PADDING.slice(0, 700) },
    { name: 'API_TOKEN', value: 'gone with the wind' },
    { codes: [...Buffer.from(KNOWN)] },
    7,
    'a string that is an item',
    [1, [2, { deep: KNOWN }]],
    {},
  )
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('append' as const), message }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('edit' as const), message, at: fc.nat(9) }) },
    fc.record({ type: fc.constant('drop' as const), at: fc.nat(3) }),
    fc.record({
      type: fc.constant('after' as const),
      value: fc.constantFrom('none', 'a value after the list', KNOWN),
    }),
    fc.record({ type: fc.constant('cut' as const), at: fc.nat(400) }),
    fc.record({
      type: fc.constant('learn' as const),
      secret: fc.constantFrom('plain words', 'name the file'),
    }),
  )

  /** The same text for the scrubber, and a beginning that it has not seen. */
  const withoutMemory = (scrubber: Scrubber, text: string, at: number): string =>
    sent(scrubber, ' '.repeat(16 * (at + 1)) + text).trimStart()

  test.each([
    ['messages are the last member', ''],
    ['other members follow', '"tools":[{"description":"A tool","input":{"token":"string"}}],'],
  ])('gives what one gives that has not, %s', (_name, more) => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '"name":"API_TOKEN",', '"api_key":{"secret":"x1y2z3x1y2z3"},', '"max_tokens":1,'),
        fc.array(step, { minLength: 2, maxLength: 10 }),
        (before, steps) => {
          const [ours, other] = [0, 1].map(() => createScrubber({ env: { A_SECRET: KNOWN } }))
          if (ours === undefined || other === undefined) throw new Error('no scrubber')
          const items: unknown[] = [{ role: 'system', content: PADDING }]
          let after = 'none'
          steps.forEach((each, at) => {
            if (each.type === 'append') items.push(each.message)
            if (each.type === 'edit') items[Math.min(each.at, items.length - 1)] = each.message
            if (each.type === 'drop') items.splice(-each.at)
            if (each.type === 'after') after = each.value
            if (each.type === 'learn') for (const one of [ours, other]) one.learn('word', each.secret)
            const whole = `{${before}"messages":${JSON.stringify(items)},${more}"value":${JSON.stringify(after)}}`
            const text = each.type === 'cut' ? whole.slice(0, -each.at) : whole
            expect(sent(ours, text)).toBe(withoutMemory(other, text, at))
            expect(ours.hits).toBe(other.hits)
          })
        },
      ),
      { numRuns: 25 },
    )
  })

  test.each([
    ['a key in the next message', `the key is ${KEY}`],
    ['a known value', KNOWN],
    ['a field', JSON.stringify({ password: 'correct horse battery' })],
  ])('finds %s', (_name, content) => {
    const scrubber = createScrubber({ env: { A_SECRET: KNOWN } })
    const items = [{ role: 'system', content: PADDING }]
    for (let turn = 0; turn < 5; turn += 1) {
      const text = JSON.stringify({ messages: items })
      expect(sent(scrubber, text)).toBe(text)
      items.push({ role: 'user', content: `turn ${turn}` })
    }
    items.push({ role: 'user', content })
    expect(sent(scrubber, JSON.stringify({ messages: items }))).toContain('<redacted:')
  })
})

describe('the memory', () => {
  function spied(finder = new Finder()): { memory: UnchangedJson; starts: number[] } {
    const starts: number[] = []
    const memory = new UnchangedJson(finder, (text, { from, messageEnded }) => {
      starts.push(text.length)
      const first = from === null ? 0 : 1
      for (const { index } of text.matchAll(/\}(?=[,\]])/g)) if (index >= first) messageEnded(index + 1, [])
      return !text.includes(KNOWN)
    })
    return { memory, starts }
  }
  const text = (...contents: readonly string[]): string =>
    JSON.stringify({ messages: [PADDING, ...contents].map((content) => ({ content })) })
  const body = (...contents: readonly string[]): Uint8Array => utf8(text(...contents))

  /** The name `content` of each message counts. */
  const finderWithHints = (): Finder => {
    const finder = new Finder()
    finder.add(fieldHints(['content']))
    return finder
  }

  test('walks through a text once, then goes on at the last message that is the same', () => {
    const { memory, starts } = spied()
    expect(memory.has(body('one'))).toBe(false)
    memory.add(body('one'), text('one'))
    expect(memory.has(body('one', '\u00e9\u{1f600}'))).toBe(true)
    expect(memory.has(body('one', '\u00e9\u{1f600}', 'three'))).toBe(true)
    expect(memory.has(body('one', '2'))).toBe(true)
    expect(starts).toEqual([
      text('one', '\u00e9\u{1f600}').length,
      ',{"content":"three"}]}'.length,
      ',{"content":"2"}]}'.length,
    ])
  })

  test('leaves a plain text to the usual search if much of it is new', () => {
    const { memory, starts } = spied()
    memory.add(body('one'), text('one'))
    expect(memory.has(body('one', PADDING.slice(0, 1000)))).toBe(false)
    expect(memory.has(body('one', 'two'))).toBe(true)
    expect(memory.has(body('one', 'two', PADDING.slice(0, 1000)))).toBe(false)
    expect(starts).toHaveLength(1)
  })

  test('walks through much new text if names in it count', () => {
    const { memory } = spied(finderWithHints())
    memory.add(body('one'), text('one'))
    expect(memory.has(body('one', PADDING.slice(0, 1000)))).toBe(true)
  })

  test('is no answer for a text with something to change, nor for the texts after it', () => {
    const { memory } = spied()
    memory.add(body('one'), text('one'))
    expect(memory.has(body('one', 'two'))).toBe(true)
    expect(memory.has(body('one', 'two', KNOWN))).toBe(false)
    expect(memory.has(body('one', 'two', KNOWN, 'three'))).toBe(false)
  })

  test('ends when the scrubber learns a value', () => {
    const finder = new Finder()
    const { memory } = spied(finder)
    memory.add(body('one'), text('one'))
    finder.allow([])
    expect(memory.has(body('one', 'two'))).toBe(false)
  })

  test('walks once through texts without messages', () => {
    const { memory, starts } = spied()
    const other = JSON.stringify({ text: PADDING })
    for (let turn = 0; turn < 6; turn += 1) if (!memory.has(utf8(other))) memory.add(utf8(other), other)
    expect(starts).toEqual([other.length])
  })
})
