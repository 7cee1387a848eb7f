import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { withoutCounts } from './counted-secrets.ts'

const SECRET = 'pa55-Word-of-redis'
const PLACEHOLDER = '<redacted:env:REDIS_PASSWORD>'

/** What a recording and a replay compare. */
function compared(send: (password: string) => Buffer, secret = SECRET): readonly string[] {
  return [secret, PLACEHOLDER].map((password) => {
    const scrubber = createScrubber({ env: { REDIS_PASSWORD: secret } })
    const stream = scrubber.stream('sent')
    return Buffer.concat([stream.push(withoutCounts(send(password), scrubber)), stream.end()]).toString(
      'latin1',
    )
  })
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const withLength = (text: string): Buffer =>
  Buffer.concat([Buffer.from([text.length >> 8, text.length & 0xff]), Buffer.from(text)])

function mqttConnect(user: string, password: string): Buffer {
  const body = Buffer.concat([
    withLength('MQTT'),
    Buffer.from([4, 0xc2, 0, 60]),
    ...['id', user, password].map(withLength),
  ])
  const length = body.length < 128 ? [body.length] : [(body.length & 0x7f) | 0x80, body.length >> 7]
  return Buffer.concat([Buffer.from([0x10, ...length]), body])
}

const MESSAGES: readonly (readonly [what: string, send: (password: string) => Buffer])[] = [
  ['Redis', (password) => Buffer.from(`*2\r\n$4\r\nAUTH\r\n$${password.length}\r\n${password}\r\n`)],
  [
    'a value of Redis that contains it',
    (password) => Buffer.from(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$${password.length + 4}\r\nkey=${password}\r\n`),
  ],
  [
    'Postgres',
    (password) => Buffer.concat([Buffer.from('p'), int32(password.length + 5), Buffer.from(`${password}\0`)]),
  ],
  [
    'a query of Postgres',
    (password) => {
      const query = Buffer.from(`insert into keys values ('${password}')\0`)
      return Buffer.concat([Buffer.from('Q'), int32(query.length + 4), query])
    },
  ],
  [
    'memcached, after another request',
    (password) => {
      const body = Buffer.from(`PLAIN\0me\0${password}`)
      const head = Buffer.from([0x80, 0x21, 0, 5, 0, 0, 0, 0])
      return Buffer.concat([
        Buffer.from([0x80, 0x20]),
        Buffer.alloc(22),
        head,
        int32(body.length),
        Buffer.alloc(12),
        body,
      ])
    },
  ],
  [
    'MySQL',
    (password) => {
      const body = Buffer.from(`\0user\0${String.fromCharCode(password.length)}${password}database\0`)
      const head = Buffer.alloc(4)
      head.writeUIntLE(body.length, 0, 3)
      head[3] = 1
      return Buffer.concat([head, body])
    },
  ],
  ['MQTT', (password) => mqttConnect('me', password)],
  ['MQTT, with a length of one byte and of two', (password) => mqttConnect('m'.repeat(85), password)],
  [
    'SMTP',
    (password) => Buffer.from(`AUTH PLAIN ${Buffer.from(`\0me\0${password}`).toString('base64')}\r\n`),
  ],
]

describe('what is sent with a secret is the same with its placeholder', () => {
  test.each(MESSAGES)('%s', (_what, send) => {
    const [recorded, replayed] = compared(send)
    expect(replayed).toBe(recorded)
    expect(recorded).not.toContain(SECRET)
    expect(recorded).toContain('<redacted:')
  })
})

/** A line break is 10, a blank 32, a quote 34 or 39, `=` 61. */
test.each([
  ['Redis', (password: string) => `*2\r\n$4\r\nAUTH\r\n$${password.length}\r\n${password}\r\n`],
  ['a blank', (password: string) => `PASS ${password}\r\n`],
  ['a quote', (password: string) => `LOGIN "${password}"\r\n`],
  ['another quote', (password: string) => `SET PASSWORD = '${password}';\n`],
  ['a sign', (password: string) => `user=me password=${password}\n`],
])('a secret of any length in a protocol of text, after %s', (_what, message) => {
  for (let length = 8; length <= 64; length += 1) {
    const secret = 'Zq7-pLk9xW'.repeat(7).slice(0, length)
    const [recorded, replayed] = compared((password) => Buffer.from(message(password)), secret)
    expect(replayed).toBe(recorded)
    expect(recorded).not.toContain(secret)
  }
})

test('another query with the same secret differs', () => {
  const [first] = compared((password) => Buffer.from(`SELECT 1 -- ${password}`))
  const [second] = compared((password) => Buffer.from(`SELECT 2 -- ${password}`))
  expect(first).not.toBe(second)
})

test('bytes without a secret stay as they are', () => {
  const bytes = Buffer.from('*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n')
  expect(withoutCounts(bytes, createScrubber({ env: { REDIS_PASSWORD: SECRET } }))).toEqual(bytes)
})

test('a word that was harmless is checked again after the scrubber has learned a value', () => {
  const scrubber = createScrubber({})
  const message = Buffer.from(`login ${Buffer.from('learned-later-1').toString('base64')} end`)
  expect(withoutCounts(message, scrubber)).toEqual(message)
  scrubber.learn('password', 'learned-later-1')
  expect(Buffer.from(withoutCounts(message, scrubber)).toString()).toBe('login <redacted:encoded> end')
})

test('a word that was harmless is checked again after the scrubber has replaced a value', () => {
  const scrubber = createScrubber({})
  const message = Buffer.from(`login ${Buffer.from('Zt7-pq9').toString('base64')} end`)
  expect(withoutCounts(message, scrubber)).toEqual(message)
  scrubber.note('password', 'Zt7-pq9', 'a field')
  expect(Buffer.from(withoutCounts(message, scrubber)).toString()).toBe('login <redacted:encoded> end')
})
