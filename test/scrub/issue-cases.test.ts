/**
 * What an attack on the scrubber found, case by case; the classes behind them are in
 * ../campaigns/secrets-stream.test.ts.
 */
import { describe, expect, test } from 'vitest'
import { createScrubber, type Scrubber } from '../../src/scrub/index.ts'
import { newerSecrets, pemBlock } from './seeded-secrets.ts'

function piecewise(scrubber: Scrubber, ...pieces: readonly string[]): string {
  const stream = scrubber.stream('received')
  return Buffer.concat([...pieces.map((piece) => stream.push(Buffer.from(piece))), stream.end()]).toString()
}

test.each(['\\n', '\\\\n', '\\\\\\\\n', '\\u000a', '%0A', '%250A'])(
  'a PEM key whose line breaks are %s, cut inside each of them',
  (lineBreak) => {
    const escaped = pemBlock.replaceAll('\n', lineBreak)
    for (let at = escaped.indexOf(lineBreak); at >= 0; at = escaped.indexOf(lineBreak, at + 1)) {
      for (let within = 1; within < lineBreak.length; within += 1) {
        const out = piecewise(
          createScrubber(),
          `data: {"k":"${escaped.slice(0, at + within)}`,
          `${escaped.slice(at + within)}"}\n\n`,
        )
        expect(out).toBe('data: {"k":"<redacted:private_key_block:rsa>"}\n\n')
      }
    }
  },
)

test.each([
  ['plain', (text: string) => text],
  ['URL-encoded', encodeURIComponent],
  ['base64', (text: string) => Buffer.from(text).toString('base64')],
])('a PEM key of 64 KiB in one line, %s, in chunks of 1,000 bytes', (_form, encode) => {
  const body = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(4, 'A') + 'bC9/'.repeat(15)).join('\\n')
  const key = encode(`-----BEGIN PRIVATE KEY-----\\n${body}\\n-----END PRIVATE KEY-----`)
  const pieces = Array.from({ length: Math.ceil(key.length / 1000) }, (_, n) =>
    key.slice(n * 1000, n * 1000 + 1000),
  )
  expect(piecewise(createScrubber(), 'k: ', ...pieces, ' end\n')).toMatch(
    /^k: <redacted:private_key_block>=* end\n$/,
  )
})

describe('known values', () => {
  test('with + in the query of a URL', () => {
    const scrubber = createScrubber({ env: { MY_SECRET: 'abc+def/ghi+jkl=' } })
    expect(scrubber.url('https://h/?q=abc+def/ghi+jkl=')).toBe('https://h/?q=%3Credacted:env:MY_SECRET%3E')
    expect(scrubber.url('https://h/?q=abc%2Bdef%2Fghi%2Bjkl%3D')).toBe(
      'https://h/?q=%3Credacted:env:MY_SECRET%3E',
    )
  })

  test('that end in a line break, trimmed by the program', () => {
    const scrubber = createScrubber({ env: { MY_SECRET: 'zq9WkkLm-17-abc\n' } })
    expect(scrubber.text('it is zq9WkkLm-17-abc.', 'received')).toBe('it is <redacted:env:MY_SECRET>.')
  })

  test('with quotes, from the first to the eighth level of JSON in JSON', () => {
    let text = 'Zq9"known"secret\\value'
    for (let level = 0; level < 8; level += 1) {
      const scrubber = createScrubber({ env: { MY_SECRET: 'Zq9"known"secret\\value' } })
      expect(scrubber.text(`a ${text} b`, 'received'), `level ${level}`).toBe('a <redacted:env:MY_SECRET> b')
      text = JSON.stringify(text).slice(1, -1)
    }
  })

  test('are learned without limit, and each is found, whole and cut', () => {
    const scrubber = createScrubber()
    const value = (n: number): string => `shared-prefix-${n}-${(n * 7919).toString(36)}Zq`
    for (let n = 0; n < 10_000; n += 1) scrubber.learn('value', value(n))
    expect(scrubber.known).toBe(10_000)
    for (let n = 0; n < 10_000; n += 97) {
      expect(scrubber.text(`x ${value(n)} y`, 'received')).toMatch(/^x <redacted:value(#\d+)?> y$/)
      const encoded = Buffer.from(`user:${value(n)}`).toString('base64')
      expect(scrubber.text(encoded, 'received')).toContain('<redacted:value')
      const at = 3 + (n % 20)
      expect(piecewise(scrubber, `x ${value(n).slice(0, at)}`, `${value(n).slice(at)} y`)).toMatch(
        /^x <redacted:value(#\d+)?> y$/,
      )
    }
  })
})

describe('keys by their shape', () => {
  const key = `ghp_${'a1B2c3D4'.repeat(4)}wxyz`

  test.each(['_', '-', 'x', '9', '$', '\u0024', 'backup-'])('after %j', (before) => {
    for (const text of [`${before}${key}`, `dir/${before}${key}.txt`])
      expect(createScrubber().text(text, 'received')).not.toContain('a1B2c3D4')
  })

  test.each([
    ['small letters and few digits', `cs${'k'}-`, 'yrjldzlhxtpdjtgqiizoefqjaricawpn5bkakdz9q3znfyqx'],
    ['letters without a digit', `gl${'pat'}-`, 'WnnbhRhxNRgDTTjgTHkD'],
  ])('inside a word: %s', (_, prefix, body) => {
    for (const text of [`x${prefix}${body}`, Buffer.from(`x${prefix}${body} yz`).toString('base64')])
      expect(createScrubber().text(text, 'received')).toContain('<redacted:')
  })

  test('at the beginning of a word, without a digit', () => {
    const key = `tv${'ly'}-dev-WnnbhRhxNRgDTTjgTHkDKcsultoooUaM`
    expect(createScrubber().text(`a ${key} b`, 'received')).toBe('a <redacted:tavily_key> b')
  })

  test.each(newerSecrets)('%s', (kind, secret) => {
    expect(createScrubber().text(`a ${secret} b`, 'received')).toBe(`a <redacted:${kind}> b`)
  })

  test.each([
    'task-550e8400-e29b-41d4-a716-446655440000',
    `disk-${'0f1e2d3c'.repeat(5)}`,
    'risk-assessment-of-the-whole-project-2024',
    `sk-${'circleFadingAnimationOfTheWholePage'}`,
    `pn${'pm_'}configRegistryUrlOverrideOfTheWholeProject`,
  ])('an id is no key: %s', (text) => {
    expect(createScrubber().text(text, 'received')).toBe(text)
  })
})
