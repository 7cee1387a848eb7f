import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasWide, isWide, utf16View } from './utf16-view.ts'

const wide = (text: string): string => [...text].map((char) => `${char}\u0000`).join('')

test('bytes, text and the view agree on where text in two bytes a character is', () => {
  const piece = fc.constantFrom(
    '\u0000',
    'a',
    '\u0001',
    '\u0085',
    '\u00e9',
    wide('abc'),
    wide('secret'),
    wide('secret-1'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const text = pieces.join('')
      const expected = utf16View(text, true) !== null
      expect(isWide(text)).toBe(expected)
      // What follows the text in the buffer does not count.
      const bytes = Buffer.from(`${text}${wide('not read')}`, 'latin1')
      expect(hasWide(bytes, text.length)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['zero bytes only', '\u0000'.repeat(64), false],
  [
    'counts of a protocol',
    'D\u0000\u0000\u0000\u0006\u0000\u0001\u0000\u0000\u0000\u000242Z\u0000\u0000',
    false,
  ],
  ['seven characters', wide('1234567'), false],
  ['eight characters', wide('12345678'), true],
  ['eight characters at an odd offset', `\u0001${wide('12345678')}\u0001`, true],
  ['eight characters, the last zero missing', wide('12345678').slice(0, -1), false],
])('%s', (_what, text, expected) => {
  expect(hasWide(Buffer.from(text, 'latin1'), text.length)).toBe(expected)
})
