import { describe, expect, test } from 'vitest'
import { firstDifference, firstJsonDifference } from './first-difference.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('of JSON', () => {
  test.each([
    ['a changed text', { a: 'hello' }, { a: 'hallo' }, 'at $.a', '"hello"', '"hallo"'],
    ['a changed number', { a: [1, 2] }, { a: [1, 3] }, 'at $.a[1]', '2', '3'],
    ['a field more', {}, { a: 'x' }, 'at $.a', 'nothing', '"x"'],
    ['a field less', { a: null }, {}, 'at $.a', 'null', 'nothing'],
    ['another type', { a: '1' }, { a: 1 }, 'at $.a', '"1"', '1'],
  ])('%s', (_, before, now, where, expected, actual) => {
    expect(firstJsonDifference(before, now)).toMatchObject({ where, path: where.slice(3), expected, actual })
  })

  test('of two long texts the part is shown in which they differ', () => {
    const long = 'x'.repeat(1000)
    const difference = firstJsonDifference({ a: `${long}left${long}` }, { a: `${long}right${long}` })
    expect(difference?.expected).toBe(
      JSON.stringify(`…${'x'.repeat(60)}left${'x'.repeat(336)}… (664 more characters)`),
    )
    expect(difference?.actual).toBe(
      JSON.stringify(`…${'x'.repeat(60)}right${'x'.repeat(335)}… (665 more characters)`),
    )
  })

  test('a text that goes on where the other ends differs in its next line', () => {
    expect(firstJsonDifference({ a: 'hello' }, { a: 'hello\nyou' })).toMatchObject({
      where: 'at $.a',
      expected: 'the end',
      actual: '"you"',
    })
  })

  test('nothing, if they are equal', () => {
    expect(firstJsonDifference({ a: 1 }, { a: 1 })).toBeNull()
  })
})

describe('of other content', () => {
  test('the line', () => {
    expect(firstDifference(bytes('a\nb\nc'), bytes('a\nB\nc'))).toEqual({
      where: 'first at line 2',
      path: 'first at line 2',
      expected: '"b"',
      actual: '"B"',
    })
    expect(firstDifference(bytes('a\nb'), bytes('a'))).toMatchObject({
      where: 'first at line 2',
      expected: '"b"',
      actual: 'the end',
    })
  })

  test('the byte, if it is no text', () => {
    expect(firstDifference(Uint8Array.of(1, 255), Uint8Array.of(1, 254))).toMatchObject({
      where: 'first at byte 1',
      expected: '0xff',
      actual: '0xfe',
    })
    expect(firstDifference(Uint8Array.of(1, 255), Uint8Array.of(1))).toMatchObject({ actual: 'the end' })
  })

  test('a placeholder of another number or length is no difference', () => {
    expect(firstDifference(bytes('k=<redacted:token:12>'), bytes('k=<redacted:token:40>'))).toBeNull()
  })
})
