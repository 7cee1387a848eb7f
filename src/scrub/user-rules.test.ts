import { describe, expect, test } from 'vitest'
import { isRepriseError } from '../errors/index.ts'
import { createScrubber } from './create-scrubber.ts'

describe("the user's patterns", () => {
  test('a literal and an expression are replaced, on both sides, also in streams', () => {
    const rules = {
      patterns: [
        { name: 'project', pattern: 'Blue Heron' },
        { name: 'ticket', pattern: /\bTCK-\d{4,8}\b/ },
      ],
    }
    const scrubber = createScrubber({ rules })
    expect(scrubber.text('Blue Heron: TCK-12345', 'received')).toBe('<redacted:project>: <redacted:ticket>')
    const stream = createScrubber({ rules }).stream('received')
    const out = [...Buffer.from('x Blue Heron TCK-12345\ny')].map((byte) => stream.push(Uint8Array.of(byte)))
    expect(Buffer.concat([...out, stream.end()]).toString()).toBe('x <redacted:project> <redacted:ticket>\ny')
  })

  test('of one side leave the other alone', () => {
    const scrubber = createScrubber({
      rules: { patterns: [{ name: 'ticket', pattern: /TCK-\d+/, side: 'sent' }] },
    })
    expect([scrubber.text('a TCK-1234', 'sent'), scrubber.text('a TCK-1234', 'received')]).toEqual([
      'a <redacted:ticket>',
      'a TCK-1234',
    ])
  })

  test('extra names count, allowed names do not', () => {
    const scrubber = createScrubber({
      rules: {
        fields: ['pin_code'],
        headers: ['x-badge'],
        params: ['badge'],
        variables: ['MY_BADGE'],
        allowFields: ['token'],
        allowHeaders: ['x-key'],
        allowParams: ['sig'],
        allowVariables: ['PUBLIC_KEY'],
      },
    })
    expect(scrubber.jsonText('{"pinCode":"12ab","token":"abc"}', 'sent')).toBe(
      '{"pinCode":"<redacted:pin_code>","token":"abc"}',
    )
    expect([scrubber.header('X-Badge', 'b'), scrubber.header('x-key', 'k')]).toEqual([
      '<redacted:x_badge>',
      'k',
    ])
    expect(scrubber.url('http://a/?badge=1x&sig=2')).toBe('http://a/?badge=%3Credacted:badge%3E&sig=2')
    expect([scrubber.env('MY_BADGE', 'b'), scrubber.env('PUBLIC_KEY', 'pk')]).toEqual([
      '<redacted:env:MY_BADGE>',
      'pk',
    ])
  })

  test('an allowed value stays', () => {
    const example = `AKIA${'IOSFODNN7EXAMPLE'}`
    expect(createScrubber({ rules: { allowValues: [example] } }).text(`id ${example}`, 'sent')).toBe(
      `id ${example}`,
    )
  })

  test.each([
    ['nested repetition', /(a+)+x/],
    ['a choice that repeats', /(a|aa){1,50}x/],
    ['repetition without bound before the end', /\d+x/],
    ['a reference back', /(abc)\1/],
    ['too many ways', /\w{0,99}\w{0,99}\w{0,99}x/],
    ['a match of nothing', /a?/],
    ['a short literal', 'abc'],
  ])('%s is refused', (_what, pattern) => {
    let caught: unknown
    try {
      createScrubber({ rules: { patterns: [{ name: 'mine', pattern }] } })
    } catch (error) {
      caught = error
    }
    expect(isRepriseError(caught) && caught.code).toBe('scrub-rule-invalid')
  })

  test('a name that would break the placeholder is refused', () => {
    expect(() => createScrubber({ rules: { patterns: [{ name: 'a>b', pattern: 'abcd' }] } })).toThrow(
      /scrub rule/,
    )
  })
})
