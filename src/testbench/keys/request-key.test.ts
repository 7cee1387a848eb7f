import { expect, test } from 'vitest'
import { contentHash, GrowingHash, GrowingJson, utf8 } from '../../base/index.ts'
import { createScrubber } from '../../scrub/index.ts'
import { describeRequest } from './request-key.ts'

const large = 'hello world, '.repeat(200_000)
const request = (body: Uint8Array, type = 'text/plain') => ({
  method: 'POST',
  url: 'http://localhost/x',
  headers: [
    ['content-type', type],
    ['x-note', 'a'],
  ] as const,
  body,
})
const keyOf = (...args: Parameters<typeof request>): string =>
  describeRequest(
    request(...args),
    createScrubber(),
    { headers: ['x-note'] },
    { json: new GrowingJson([]), hashes: new GrowingHash() },
    null,
  ).key

test.each([
  ['small text', 'hello', 'hello'],
  ['large text', large, large],
  ['large text after blanks', ' '.repeat(2_000_000) + large, ' '.repeat(2_000_000) + large],
  ['large JSON', `{"b":1, "a":"${large}"}`, `{"a":"${large}","b":1}`],
  [
    'a large list',
    `{"z":1.0, "list": [${'{"b":"hello, world", "a":2},'.repeat(400_000)}{"c":"<redacted:jwt:12>"}]}`,
    `{"list":[${'{"a":2,"b":"hello, world"},'.repeat(400_000)}{"c":"<redacted:jwt>"}],"z":1.0}`,
  ],
  ['large text with a placeholder of Harn', `${large}<redacted:jwt:12>`, `${large}<redacted:jwt>`],
])('the key of %s is that of its canonical text', { timeout: 60_000 }, (_name, body, canonical) => {
  const digest = contentHash(utf8(`x-note: a\n${canonical}`)).slice(0, 24)
  expect(keyOf(Buffer.from(body))).toBe(`POST http://localhost/x #${digest}`)
})

test.each([
  ['items', true],
  ['messages', false],
])('a large list %s is not taken for messages to a model: %s', { timeout: 60_000 }, (name, isOther) => {
  const body = Buffer.from(`{"${name}":[${'{"role":"user", "content":"hello"},'.repeat(270_000)}{}]}`)
  const bodies = { json: new GrowingJson([]), hashes: new GrowingHash() }
  expect(describeRequest(request(body), createScrubber(), {}, bodies, null).isOther).toBe(isOther)
})

test('the key of large binary data is that of the hash of the data', () => {
  const body = Buffer.alloc(3_000_000, 0xfe)
  const digest = contentHash(utf8(`x-note: a\n${contentHash(body)}`)).slice(0, 24)
  expect(keyOf(body, 'application/octet-stream')).toBe(`POST http://localhost/x #${digest}`)
})

test('a secret across two pieces of a large body is replaced', () => {
  const key = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AA'
  const body = Buffer.from(`${'. '.repeat(524_288 - 20)}${key} end`)
  const described = describeRequest(
    request(body),
    createScrubber(),
    {},
    { json: new GrowingJson([]), hashes: new GrowingHash() },
    null,
  )
  expect(
    Buffer.from(described.body ?? [])
      .toString()
      .slice(-30),
  ).toBe('. <redacted:anthropic_key> end')
})
