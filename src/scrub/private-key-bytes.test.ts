import crypto, { type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { createScrubber } from './create-scrubber.ts'

const keys: Readonly<Record<string, KeyObject>> = {
  rsa: crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
  ec: crypto.generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  ed25519: crypto.generateKeyPairSync('ed25519').privateKey,
}

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString()
const derOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'pkcs8' })

/** What a program may have in a variable. */
const held: Readonly<Record<string, (key: KeyObject) => string>> = {
  PEM: pemOf,
  'PEM with escaped line breaks': (key) => pemOf(key).replaceAll('\n', '\\n'),
  'PEM in JSON': (key) => JSON.stringify({ type: 'service_account', private_key: pemOf(key) }),
  'base64 of PEM': (key) => Buffer.from(pemOf(key)).toString('base64'),
  'base64 of DER': (key) => derOf(key).toString('base64'),
  JWK: (key) => JSON.stringify(key.export({ format: 'jwk' })),
}

/** What it may write. */
const written: Readonly<Record<string, (der: Buffer) => Buffer>> = {
  bytes: (der) => der,
  'bytes in a text of Latin-1': (der) => Buffer.from(der.toString('latin1')),
  hex: (der) => Buffer.from(der.toString('hex')),
  'hex with blanks': (der) => Buffer.from(der.toString('hex').replace(/../g, '$& ')),
  base64: (der) => Buffer.from(`a ${der.toString('base64')} b`),
  base64url: (der) => Buffer.from(der.toString('base64url')),
  'base64, one byte in': (der) => Buffer.from(Buffer.concat([Buffer.from('x'), der]).toString('base64')),
  'base64 in lines': (der) => Buffer.from(der.toString('base64').replace(/.{64}/g, '$&\n')),
  'a list of numbers': (der) => Buffer.from(JSON.stringify(der)),
}

const frames = (key: KeyObject): readonly Buffer[] => [
  derOf(key),
  ...(key.asymmetricKeyType === 'rsa' ? [key.export({ format: 'der', type: 'pkcs1' })] : []),
  ...(key.asymmetricKeyType === 'ec' ? [key.export({ format: 'der', type: 'sec1' })] : []),
]

/** Twelve bytes from the middle of each secret number, as they are in a written form. */
function secretsOf(key: KeyObject, form: (der: Buffer) => Buffer): readonly string[] {
  const { d, p, q, dp, dq, qi } = key.export({ format: 'jwk' })
  return [d, p, q, dp, dq, qi].flatMap((number) => {
    if (number === undefined) return []
    const middle = Buffer.from(number, 'base64url').subarray(9, 21)
    return [form(middle).toString('latin1').slice(2, -4)]
  })
}

const rows = Object.keys(keys).flatMap((sort) => Object.keys(held).map((as) => ({ sort, as })))

test.each(rows)('nothing of an $sort key that the program has as $as is left', ({ sort, as }) => {
  const key = keys[sort]
  const value = key === undefined ? '' : (held[as]?.(key) ?? '')
  const scrubber = createScrubber({ env: { SIGNING_KEY: value } })
  for (const [name, write] of Object.entries(written)) {
    // Lines of base64 are found as the lines of the key itself.
    if (name === 'base64 in lines' && !as.startsWith('PEM') && as !== 'base64 of PEM') continue
    for (const der of key === undefined ? [] : frames(key)) {
      if (name === 'base64 in lines' && !der.equals(derOf(key as KeyObject))) continue
      const scrubbed = Buffer.from(scrubber.bytes(write(der), 'sent')).toString('latin1')
      expect(scrubbed).toContain('<redacted:env:SIGNING_KEY')
      const aligned = name === 'base64, one byte in' ? [] : secretsOf(key as KeyObject, write)
      if (!name.startsWith('base64')) for (const secret of aligned) expect(scrubbed).not.toContain(secret)
      expect(decodedIn(scrubbed)).not.toMatch(secretsPattern(key as KeyObject))
    }
  }
})

test('a key that is seen as text is found as bytes from then on, also in a stream', () => {
  const scrubber = createScrubber()
  const key = keys.ec as KeyObject
  scrubber.text(`the key:\n${pemOf(key)}`, 'received')
  const stream = scrubber.stream('sent')
  const parts = [...derOf(key)].map((byte) => Buffer.from(stream.push(Uint8Array.of(byte))))
  const scrubbed = Buffer.concat([...parts, Buffer.from(stream.end())])
  expect(scrubbed.toString('latin1')).toBe('<redacted:private_key_block>')
})

test('a JWK of a known key keeps what is public', () => {
  const key = keys.ec as KeyObject
  const scrubber = createScrubber({ env: { SIGNING_KEY: pemOf(key) } })
  const jwk = key.export({ format: 'jwk' })
  expect(scrubber.text(JSON.stringify(jwk), 'sent')).toBe(
    JSON.stringify({ ...jwk, d: '<redacted:env:SIGNING_KEY:pkcs8>' }),
  )
})

test('a public key and a certificate request stay as they are', () => {
  const key = keys.rsa as KeyObject
  const scrubber = createScrubber({ env: { SIGNING_KEY: pemOf(key) } })
  const open = crypto.createPublicKey(key)
  for (const text of [
    open.export({ format: 'pem', type: 'spki' }).toString(),
    open.export({ format: 'der', type: 'pkcs1' }).toString('base64'),
  ])
    expect(scrubber.text(text, 'sent')).toBe(text)
})

test.each(['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(40), `M${'A'.repeat(90)}`, `MIL///8${'A'.repeat(90)}`])(
  'a value that only begins like a key is one value: %#',
  (value) => {
    const scrubber = createScrubber({ env: { API_KEY: value } })
    expect(scrubber.text(`x ${value} y`, 'sent')).toBe('x <redacted:env:API_KEY> y')
    expect(scrubber.known).toBe(1)
  },
)

/** What all runs of base64 in a text are, at each of the four offsets. */
function decodedIn(text: string): string {
  return [...text.matchAll(/[\w+/-]{16,}/g)]
    .flatMap(([run]) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')))
    .join('\n')
}

function secretsPattern(key: KeyObject): RegExp {
  return new RegExp(
    secretsOf(key, (bytes) => bytes)
      .map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('|'),
  )
}
