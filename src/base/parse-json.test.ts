import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTooDeep } from './json-depth.ts'
import { JsonScanError, MAX_JSON_DEPTH } from './json-scan.ts'
import { parseJson, tryParseJson } from './parse-json.ts'

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)

test.each([
  ['at the bound', nested(MAX_JSON_DEPTH), false],
  ['one deeper', nested(MAX_JSON_DEPTH + 1), true],
  ['objects', `${'{"a":'.repeat(MAX_JSON_DEPTH + 1)}1${'}'.repeat(MAX_JSON_DEPTH + 1)}`, true],
  ['openings only', '['.repeat(MAX_JSON_DEPTH + 1), true],
  ['inside of a string', JSON.stringify('['.repeat(5000)), false],
  ['in a string with quotes and backslashes', JSON.stringify({ a: `\\"${'['.repeat(5000)}\\\\"[` }), false],
  ['after a string that ends in a backslash', `["a\\\\",${nested(MAX_JSON_DEPTH)}]`, true],
  ['wide', `[${'[{}],'.repeat(5000)}1]`, false],
])('%s', (_name, text, deep) => {
  expect(isTooDeep(text)).toBe(deep)
  if (deep) expect(() => parseJson(text)).toThrow(JsonScanError)
  else expect(parseJson(text)).toEqual(JSON.parse(text))
})

test('a text within the bound parses as with JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('padding does not hide a nesting', () => {
  const pad = fc.array(fc.json(), { maxLength: 5 })
  fc.assert(
    fc.property(pad, fc.integer({ min: 990, max: 1010 }), (before, depth) => {
      const text = `[${[...before, nested(depth)].join(',')}]`
      expect(isTooDeep(text)).toBe(depth + 1 > MAX_JSON_DEPTH)
    }),
  )
})

test('tryParseJson returns what JSON.parse returns, and undefined for other text', () => {
  const parts = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '"a"',
    ':',
    ',',
    '1',
    '-',
    'true',
    'null',
    ' ',
    '\r',
    'x',
  )
  const text = fc.oneof(
    fc.json(),
    fc.tuple(fc.json(), fc.constantFrom(' ', '\t\n', '\r')).map(([json, blank]) => blank + json + blank),
    fc.array(parts, { maxLength: 6 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(text, (tried) => {
      let expected: unknown
      try {
        expected = JSON.parse(tried)
      } catch {
        expected = undefined
      }
      expect(tryParseJson(tried)).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
})
