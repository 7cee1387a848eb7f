import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const BOUNDARY = 'XbOuNdArYX'
const contentType = `multipart/form-data; boundary=${BOUNDARY}`
const SECRET = 'hunter2hunter2hunter2'

type Part = { readonly head: string; readonly body: string }
const field = (name: string, body: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  body,
})
const file = (body: string): Part => ({
  head: 'Content-Disposition: form-data; name="file"; filename="a.bin"',
  body,
})

function bodyOf(parts: readonly Part[]): Buffer {
  const text = parts.map(({ head, body }) => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n`).join('')
  return Buffer.from(`${text}--${BOUNDARY}--\r\n`, 'latin1')
}

function scrub(bytes: Buffer, cuts: readonly number[], isLarge: boolean): string {
  const body = createScrubber().body({ contentType, ...(isLarge ? { isLarge: true } : {}) }, 'sent')
  const sorted = [...new Set(cuts)].sort((a, b) => a - b)
  const chunks = [0, ...sorted].map((from, index) =>
    body.push(bytes.subarray(from, sorted[index] ?? bytes.length)),
  )
  return Buffer.concat([...chunks, ...body.end().chunks]).toString('latin1')
}

const parts: readonly Part[] = [
  field('note', 'plain'),
  field('password', SECRET),
  field('user[api_key]', `${SECRET}9`),
  field('json', JSON.stringify({ client_secret: SECRET })),
  file(`x${'y'.repeat(70_000)}`),
  field('token', 'true'),
]

test('a large body gives what a small one gives, wherever its chunks are cut', () => {
  const bytes = bodyOf(parts)
  const whole = scrub(bytes, [], false)
  expect(whole).not.toContain(SECRET)
  expect(whole).toContain('plain')
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }), (cuts) => {
      expect(scrub(bytes, cuts, true)).toBe(whole)
    }),
    { numRuns: 100 },
  )
  const everyByte = bytes.subarray(0, 800)
  expect(scrub(everyByte, [...everyByte.keys()].slice(1), true)).toBe(scrub(everyByte, [], false))
})

test('a secret after a file, and one that is longer than what is held, are replaced', () => {
  const long = `${SECRET}${'z'.repeat(600_000)}`
  const bytes = bodyOf([file('some text '.repeat(60_000)), field('password', long), field('secret', SECRET)])
  const done = scrub(bytes, [300_000, 500_000, 900_000, 1_150_000], true)
  expect(done).toBe(
    bodyOf([
      file('some text '.repeat(60_000)),
      field('password', '<redacted:password>'),
      field('secret', '<redacted:secret>'),
    ]).toString('latin1'),
  )
})
