import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonToken, scanJson, scanWholeJson } from './json-scan.ts'

test('accepts what JSON.parse accepts and refuses what it refuses', () => {
  const alphabet = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
    '\\u00e9',
    '"\\n"',
    '"\n"',
    '\t',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.array(alphabet, { maxLength: 12 }).map((parts) => parts.join('')),
      ),
      (text) => {
        expect(accepts(() => scanWholeJson(text, () => undefined))).toBe(accepts(() => JSON.parse(text)))
      },
    ),
    { numRuns: 3000 },
  )
})

test('gives tokens with their spans and depth', () => {
  const text = '{"a":[1.0,"x"],"b":null}'
  const tokens: string[] = []
  scanWholeJson(
    text,
    ({ type, start, end, depth }: JsonToken) =>
      void tokens.push(`${depth} ${type} ${text.slice(start, end)}`),
  )
  expect(tokens).toEqual([
    '0 open-object {',
    '1 key "a"',
    '1 open-array [',
    '2 number 1.0',
    '2 string "x"',
    '1 close-array ]',
    '1 key "b"',
    '1 literal null',
    '0 close-object }',
  ])
})

test('stops after one value, so that glued values can be told apart', () => {
  expect(scanJson('{"a":1}{"b":2}', () => undefined)).toBe(7)
})

function accepts(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}
