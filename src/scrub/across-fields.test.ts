import { describe, expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const BASE64 = 'Zq7KnownValueOf/an+Account=='
const WORDS = 'abc&defghijk=12;34#xyz'
const FORM = 'application/x-www-form-urlencoded'

function body(value: string, text: string, side: 'sent' | 'received' = 'sent'): string {
  const lane = createScrubber({ env: { MY_TOKEN: value } }).body({ contentType: FORM, isAsked: true }, side)
  return Buffer.concat([lane.push(Buffer.from(text)), ...lane.end().chunks]).toString()
}

describe.each([BASE64, WORDS, 'a%20b%26cdefgh'])('a known value with separators of fields: %s', (value) => {
  const scrubber = createScrubber({ env: { MY_TOKEN: value } })
  const known = '%3Credacted%3Aenv%3AMY_TOKEN%3E'

  test('in a body that is called a form, as curl calls each body', () => {
    for (const side of ['sent', 'received'] as const) {
      expect(body(value, `{"x":"${value}","a":1}`, side)).toBe(`{"x":"${known}","a":1}`)
      expect(body(value, `text ${value} text`, side)).toBe(`text ${known} text`)
      expect(body(value, `a=1&${value}&c=${value}`, side)).toBe(`a=1&${known}&c=${known}`)
    }
  })

  test('in the query and in the fragment of a URL', () => {
    const plain = '%3Credacted:env:MY_TOKEN%3E'
    expect(scrubber.url(`http://h/p?${value}`)).toBe(`http://h/p?${plain}`)
    expect(scrubber.url(`/p?a=1&q=${value}&b=2`)).toBe(`/p?a=1&q=${plain}&b=2`)
    expect(scrubber.url(`/p#${value}`)).toBe(`/p#${plain}`)
    expect(scrubber.url(`/${value}?password=other-secret-1&${value}`)).toBe(
      `/${plain}?password=%3Credacted:password%3E&${plain}`,
    )
  })

  test('in an attribute of a cookie', () => {
    expect(scrubber.header('Set-Cookie', `a=1; Path=/${value}; Secure`)).toBe(
      'a=1; Path=/<redacted:env:MY_TOKEN>; Secure',
    )
  })
})

test.each([
  ['Set-Cookie', 'a=1; Path=/KNOWN', 'a=1; Path=/<redacted:env:MY_TOKEN>'],
  ['Set-Cookie', 'KNOWN=1', '<redacted:env:MY_TOKEN>=1'],
  ['Cookie', 'KNOWN=dark; a=KNOWN', '<redacted:env:MY_TOKEN>=<redacted:cookie>; a=<redacted:env:MY_TOKEN>'],
  ['Cookie', 'a=KNOWN; KNOWN', 'a=<redacted:env:MY_TOKEN>; <redacted:env:MY_TOKEN>'],
])('a known value in %s: %s', (name, value, expected) => {
  const scrubber = createScrubber({ env: { MY_TOKEN: 'plainKnownValue1' } })
  for (const side of ['sent', 'received'] as const)
    expect(scrubber.header(name, value.replaceAll('KNOWN', 'plainKnownValue1'), side)).toBe(expected)
})

test('a known value over the = of a cookie is replaced with the rest of the name', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: BASE64 } })
  for (const name of ['Cookie', 'Set-Cookie'])
    for (const value of [`rest ${BASE64}`, `rest ${BASE64}; a=1`, `rest ${BASE64}more; Secure`]) {
      const once = scrubber.header(name, value)
      expect(once).toMatch(/^<redacted:[a-zA-Z:_]+>(?:;|$)/)
      expect(scrubber.header(name, once)).toBe(once)
    }
})

test('fields without such a value stay as they are', () => {
  const scrubber = createScrubber({ env: { MY_TOKEN: BASE64, OTHER_TOKEN: WORDS } })
  const url = '/p?a=1&b=%3Credacted:token%3E&c=%20x+y;d#e'
  expect(scrubber.url(url)).toBe(url)
  expect(body(BASE64, 'a=1&b=x+y&&c==')).toBe('a=1&b=x+y&&c==')
})
