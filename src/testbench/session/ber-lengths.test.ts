import { expect, test } from 'vitest'
import { withoutBerLengths } from './ber-lengths.ts'

const element = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content])
}
const text = (tag: number, value: string): Buffer => element(tag, Buffer.from(value))

/** A login of LDAP: a number, then version, name and password. */
const bind = (password: string): Buffer =>
  element(
    0x30,
    element(0x02, Buffer.of(1)),
    element(0x60, element(0x02, Buffer.of(3)), text(0x04, 'cn=agent'), text(0x80, password)),
  )

const without = (bytes: Buffer, ...secrets: readonly string[]): string | undefined =>
  withoutBerLengths(
    bytes,
    secrets.map((secret) => ({ start: bytes.indexOf(secret), end: bytes.indexOf(secret) + secret.length })),
  )?.toString('latin1')

test.each([8, 27, 100, 125, 300])('a login with a secret of %i letters has none of the lengths', (length) => {
  const secret = 'y'.repeat(length)
  expect(without(bind(secret), secret)?.replace(secret, 'SECRET')).toBe(
    '0\0\x02\x01\x01`\0\x02\x01\x03\x04\x08cn=agent\x80\0SECRET',
  )
})

test('several messages, and several secrets in one', () => {
  const search = element(0x30, element(0x02, Buffer.of(2)), text(0x42, ''))
  const both = element(0x30, text(0x04, 'first-secret'), text(0x04, 'other'), text(0x04, 'second-secret'))
  expect(without(Buffer.concat([search, both]), 'first-secret', 'second-secret')).toBe(
    `${search.toString('latin1')}0\0\x04\0first-secret\x04\x05other\x04\0second-secret`,
  )
})

test.each([
  ['other bytes', Buffer.from('0,secret-1 is text')],
  ['a message that is cut', bind('secret-1').subarray(0, -1)],
  ['bytes after a message', Buffer.concat([bind('secret-1'), Buffer.of(7)])],
  ['a secret outside of an element', element(0x30, Buffer.from('secret-1'))],
  ['a message of one element', Buffer.concat([Buffer.of(0x30, 0x80), Buffer.from('secret-1')])],
])('%s are not BER', (_what, bytes) => {
  expect(without(bytes, 'secret-1')).toBeUndefined()
})
