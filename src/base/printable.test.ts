import { expect, test } from 'vitest'
import { printable, printableJson } from './printable.ts'

test.each([
  ['an escape sequence', '\u001b[2Jgone', '\\x1b[2Jgone'],
  ['a line break', 'one\ntwo\r', 'one\\ntwo\\x0d'],
  ['an eight-bit control', '\u009b31m', '\\x9b31m'],
  ['a direction mark', 'abc\u202ecba', 'abc\\u202ecba'],
  ['half a character', 'x\ud83d', 'x\\ud83d'],
  ['nothing to do with an emoji', '😀 ü', '😀 ü'],
])('%s is shown, not acted on', (_what, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('a long text is cut and says by how much', () => {
  expect(printable('x'.repeat(20), 5)).toBe('xxxxx… (15 more characters)')
})

test('JSON keeps its value', () => {
  const value = { text: 'a\u009b\u202e\u2028b' }
  const shown = printableJson(JSON.stringify(value))
  expect(shown).not.toMatch(/[\u0080-\u009f\u202e\u2028]/)
  expect(JSON.parse(shown)).toEqual(value)
})
