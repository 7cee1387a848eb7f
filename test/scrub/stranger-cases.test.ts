/** Forms in which programs of a stranger got a secret past the scrubber. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const KEY = 'q7w3E9r1T5y2U8i4O6p0A9s7D3f1G5h2'

test.each([
  ['user[password]=hunter2hunter2', 'user[password]=%3Credacted:user_password%3E'],
  ['a[b][api_key][]=q7w3E9r1T5y2', 'a[b][api_key][]=%3Credacted:a_b_api_key%3E'],
  ['filter[page]=2&max_tokens[]=9', 'filter[page]=2&max_tokens[]=9'],
])('a member of a query counts by its own name: %s', (query, scrubbed) => {
  expect(createScrubber().url(`http://h/?${query}`)).toBe(`http://h/?${scrubbed}`)
})

test.each([
  ['<a><password>hunter2hunter2</password></a>', '<a><password><redacted:password></password></a>'],
  [
    '<ns:client_secret>q7w3E9&amp;r1T5</ns:client_secret>',
    '<ns:client_secret><redacted:secret></ns:client_secret>',
  ],
  ['if (a<password>b2) <b>token</b>', 'if (a<password>b2) <b>token</b>'],
])('an element of XML counts by its name: %s', (text, scrubbed) => {
  expect(createScrubber().text(text, 'sent')).toBe(scrubbed)
})

test('an element is no reason to change what the program receives', () => {
  const text = '<a><password>hunter2hunter2</password></a>'
  expect(createScrubber().text(text, 'received')).toBe(text)
})

test.each([16, 20, 32, 48])('base64 in lines of %i characters', (width) => {
  const scrubber = createScrubber({ env: { API_KEY: KEY } })
  const wrap = (text: string): string =>
    Buffer.from(text)
      .toString('base64')
      .replace(new RegExp(`.{${width}}`, 'g'), '$&\n')
  for (const secret of [KEY, `ghp_${'q7w3E9r1T5y2'.repeat(3)}`]) {
    const done = scrubber.text(`see\n${wrap(`key ${secret} end`)}\n`, 'received')
    const decoded = Buffer.from(done.replace(/<redacted:[^>]*>|\n/g, ''), 'base64').toString('latin1')
    expect(done).toContain('<redacted:')
    for (let at = 0; at + 9 <= secret.length; at += 1) expect(decoded).not.toContain(secret.slice(at, at + 9))
  }
})

test.each(['utf16le', 'utf16be'])('letters beyond Latin-1 in %s', (order) => {
  const value = 'FNfTSNG\u00e9l3ActS\u00df\u6f22oMY0hxjf'
  const bytes = Buffer.from(`key ${value}.`, 'utf16le')
  if (order === 'utf16be') bytes.swap16()
  const done = createScrubber({ env: { API_KEY: value } }).bytes(bytes, 'received')
  expect(Buffer.from(done).toString('latin1').replaceAll('\0', '')).toContain('<redacted:env:API_KEY>')
})

test('a value whose backslashes a shell has read', () => {
  const scrubber = createScrubber({ env: { DB_PASSWORD: 'q7w3\\E9r1\\\\T5y2' } })
  expect(scrubber.text('got q7w3E9r1\\T5y2', 'received')).toBe('got <redacted:env:DB_PASSWORD>')
})

test.each(['q=eG5wbV9<redacted:npm_token>4geXo9aZ1&other=1', 'write <token>4geXo9aZ1 there\n'])(
  'a placeholder, and a name without an end tag, are no elements: %s',
  (text) => expect(createScrubber().text(text, 'sent')).toBe(text),
)

test('a token after another token and a word between dots', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r'
  const scrubbed = createScrubber().text(`${token}.txt.${token}`, 'received')
  expect(scrubbed).not.toContain('dBjftJeZ4CVPmB92')
  expect(scrubbed).not.toContain('eyJzdWIi')
})
