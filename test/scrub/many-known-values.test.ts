/** More known values than have probes of their own: the index finds them, however a stream is cut. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

/** None begins with eight plain characters in a row; the last ones share those that they have. */
const VALUES = [
  '!!@#%^abcdef1234ghij',
  `p"q\\r's/t+uabcdefghij12345`,
  '+/=+/=+/=abcd1234efgh',
  'aé"ü☃x/"abcdefgh1234',
  'pass of many words/abcdefgh99',
  `${'ab cd '.repeat(25)}abcdefgh99`,
  ...Array.from({ length: 20 }, (_, at) => `k:${at % 2}/shared-opening-of-all/${at}x${at * 7919}yz`),
]

const OTHERS = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`OTHER${at}_SECRET`, `other${at}x${(at * 7919) % 104_729}yz`]),
)

/** Longer than what a stream reads again at the end of a text without secrets. */
const START = `start ${'of a text without any place that a rule must check '.repeat(20)}`

/** A few cuts are before the value: none of them is in it. */
const BEFORE = 16

const FORMS: readonly [name: string, form: (value: string) => string][] = [
  ['plain', (value) => value],
  ['JSON', (value) => JSON.stringify(value)],
  ['JSON in JSON', (value) => JSON.stringify(JSON.stringify(value))],
  ['URL-encoded', encodeURIComponent],
]

test.each(FORMS)('a stream that is cut in a value replaces all of it: %s', (_, form) => {
  const own = Object.fromEntries(VALUES.map((value, at) => [`V${at}_SECRET`, value]))
  const scrubber = createScrubber({ env: { ...OTHERS, ...own } })
  const broken: string[] = []
  for (const value of VALUES) {
    const bytes = Buffer.from(`${START}${form(value)} end\n`)
    for (let cut = START.length - BEFORE; cut <= bytes.length; cut += 1) {
      const stream = scrubber.stream('received')
      const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end()]
      const got = Buffer.concat(parts).toString()
      const isWhole = /^[\\"]*<redacted:env:V\d+_SECRET>[\\"]* end\n$/.test(got.slice(START.length))
      if (!isWhole || !got.startsWith(START)) broken.push(`${cut}: ${got}`)
    }
  }
  expect(broken).toEqual([])
})

test('text that ends like no value is passed on at once', () => {
  const scrubber = createScrubber({ env: { ...OTHERS, V_SECRET: VALUES[0] } })
  const passed = (text: string): string => scrubber.stream('received').push(Buffer.from(text)).toString()
  expect(passed('> ask me: ')).toBe('> ask me: ')
  expect(passed('> ask me!? ')).toBe('> ask me!? ')
  expect(passed('> ask me!!')).toBe('> ask me')
})
