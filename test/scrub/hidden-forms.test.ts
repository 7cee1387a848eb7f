/**
 * Known values and passwords in the disguises in which they travel, and names that stand beside what they
 * name.
 */
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const SECRET = 'Zq9-known-sécret+value/7'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const PASSWORD = 'tr0ub4dor&3xyz'

test.each([
  ['upper-case escapes', JSON.stringify(SECRET).replace('é', '\\u00E9')],
  ['base64 of base64', base64(base64(SECRET))],
  ['base64 of base64 in something larger', base64(`x${base64(`user:${SECRET}:end`)}yz`)],
  ['a URL encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
])('%s', (_what, text) => {
  const scrubber = createScrubber({ env: { MY_SECRET: SECRET } })
  const clean = scrubber.text(`before ${text} after`, 'received')
  expect(clean).toContain('<redacted:env:MY_SECRET')
  expect(clean).toMatch(/^before .* after$/)
})

test('UTF-16 text of a plain value', () => {
  const scrubber = createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value7' } })
  expect(
    Buffer.from(scrubber.bytes(Buffer.from('Zq9-known-secret+value7', 'utf16le'), 'received')).toString(
      'latin1',
    ),
  ).toContain('redacted')
})

test('the password of a connection string is found elsewhere too, a plain word is not', () => {
  const scrubber = createScrubber()
  expect(scrubber.text(`postgres://app:${encodeURIComponent(PASSWORD)}@db/x`, 'sent')).not.toContain(
    'tr0ub4dor',
  )
  expect(scrubber.text(`it is ${PASSWORD}.`, 'received')).toMatch(/^it is <redacted:url_password(#2)?>\.$/)
  scrubber.text('postgres://app:dragonfly@db/x', 'sent')
  expect(scrubber.text('a dragonfly flew by', 'received')).toBe('a dragonfly flew by')
})

test.each([
  [`curl -u admin:${PASSWORD} https://h/`, 'curl -u admin:<redacted:curl_password> https://h/'],
  [
    `curl -s --user "admin:${PASSWORD}" https://h/`,
    'curl -s --user "admin:<redacted:curl_password>" https://h/',
  ],
  ['curl -o out.txt https://h:8080/', 'curl -o out.txt https://h:8080/'],
])('%s', (command, clean) => {
  expect(createScrubber().text(command, 'sent')).toBe(clean)
})

test('a value beside a telling name', () => {
  const clean = createScrubber().jsonText(
    '{"env":[{"name":"API_TOKEN","value":"abcdef-1234"},{"name":"REGION","value":"eu-west-1"}]}',
    'sent',
  )
  expect(clean).toBe(
    '{"env":[{"name":"API_TOKEN","value":"<redacted:api_token>"},{"name":"REGION","value":"eu-west-1"}]}',
  )
})

test('bots, and a header of a proxy', () => {
  const scrubber = createScrubber()
  const telegram = `123456789:AA${'Fq7w3E9r1T5y2U8i4O6p0A9s7D3f1G5h2J8k'.slice(0, 33)}`
  expect(scrubber.text(`https://api.telegram.org/bot${telegram}/getMe`, 'received')).toBe(
    'https://api.telegram.org/bot<redacted:telegram_token>/getMe',
  )
  const discord = `${base64('112233445566778899').replace(/=+$/, '')}.GhIjKl.${'q7w3E9r1T5y2U8i4O6p0A9s7D3f1'}`
  expect(scrubber.text(`token ${discord} here`, 'received')).toBe('token <redacted:discord_token> here')
  expect(scrubber.header('Helicone-Auth', 'Bearer pk-12345678', 'sent')).not.toContain('pk-12345678')
})
