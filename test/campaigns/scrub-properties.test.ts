import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createScrubber, type Side } from '../../src/scrub/index.ts'
import { anchoredSecrets, framedSecrets } from '../scrub/seeded-secrets.ts'
import { scaled } from '../support/campaign.ts'

const side = fc.constantFrom<Side>('sent', 'received')
const knownValue = fc.oneof(
  fc
    .string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...'abcXYZ0189+/=_-.~!$%&*"\\ é你') })
    .filter((text) => /[a-z0-9]{3}/i.test(text) && text === text.trim() && new Set(text).size > 4),
  fc.base64String({ minLength: 12, maxLength: 60 }).filter((text) => new Set(text).size > 4),
  fc.uuid(),
)
const words = fc.constantFrom(
  'hello ',
  'token: ',
  'password=',
  'Bearer ',
  '"key":"',
  '", ',
  '\n',
  '\\n',
  '<',
  '>',
  '<redacted:',
  '<redacted:jwt>',
  '[redacted]',
  'é',
  '🙂',
  '://a:b@',
  '-----',
  '=',
  '&',
  'x',
  '\\u0041',
  '\\/',
  '%41',
  '{',
  '}',
)
const plainWords = words.filter((word) => word !== '<redacted:')
const shaped = fc.constantFrom(
  ...anchoredSecrets.map(([, secret]) => secret),
  ...framedSecrets.map(([, text]) => text),
)

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const padded = (left: number): Buffer =>
    Buffer.concat([Buffer.from('xyz'.slice(0, left)), bytes, Buffer.from('tail')])
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(1, -1),
    ...[0, 1, 2].flatMap((left) => [padded(left).toString('base64'), padded(left).toString('base64url')]),
  ]
}

function cutInto(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.byteLength + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.byteLength))
}

function leaks(text: string, secret: string): boolean {
  if (text.includes(secret)) return true
  // Base64 in the text, read at each alignment and in both alphabets.
  return [...text.matchAll(/[A-Za-z0-9+/_-]{10,}/g)].some(([run]) =>
    [0, 1, 2, 3].some((skip) =>
      Buffer.from(run.slice(skip).replaceAll('-', '+').replaceAll('_', '/'), 'base64')
        .toString()
        .includes(secret),
    ),
  )
}

describe('no known value is left', () => {
  test('in any encoding, in any surroundings, in text and bytes', () => {
    fc.assert(
      fc.property(
        knownValue,
        fc.array(plainWords, { maxLength: 4 }),
        fc.array(plainWords, { maxLength: 4 }),
        side,
        fc.nat(10),
        (secret, before, after, onSide, form) => {
          fc.pre(Buffer.byteLength(secret) >= 8 && !secret.includes('redacted'))
          const scrubber = createScrubber({ env: { MY_SECRET: secret } })
          const encoded = encodings(secret)
          const text = before.join('') + (encoded[form % encoded.length] ?? secret) + after.join('')
          const done = scrubber.text(text, onSide)
          expect(leaks(done, secret)).toBe(false)
          expect(leaks(Buffer.from(scrubber.bytes(Buffer.from(text), onSide)).toString(), secret)).toBe(false)
        },
      ),
      { numRuns: scaled(20_000, 400) },
    )
  })

  test('in a stream, whatever the chunking', () => {
    fc.assert(
      fc.property(
        knownValue,
        fc.array(plainWords, { maxLength: 4 }),
        fc.array(fc.nat(500), { maxLength: 12 }),
        side,
        fc.nat(10),
        (secret, around, cuts, onSide, form) => {
          fc.pre(Buffer.byteLength(secret) >= 8 && !secret.includes('redacted'))
          const scrubber = createScrubber({ env: { MY_SECRET: secret } })
          const encoded = encodings(secret)
          const text = `${around.join('')}${encoded[form % encoded.length]}${around.join('')}`
          const stream = scrubber.stream(onSide)
          const out = Buffer.concat([
            ...cutInto(Buffer.from(text), cuts).map((chunk) => stream.push(chunk)),
            stream.end(),
          ])
          expect(leaks(out.toString(), secret)).toBe(false)
        },
      ),
      { numRuns: scaled(20_000, 400) },
    )
  })
})

describe('no shaped secret is left', () => {
  test('in a stream, whatever the chunking, and no other byte changes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...anchoredSecrets),
        fc.array(fc.nat(2000), { maxLength: 20 }),
        side,
        fc.uint8Array({ maxLength: 40 }),
        ([kind, secret], cuts, onSide, noise) => {
          // Ends in a blank, so that noise is no part of a word.
          const before = Buffer.concat([noise.filter((byte) => byte > 127 || byte < 32), Buffer.from('é ')])
          const stream = createScrubber().stream(onSide)
          const whole = Buffer.concat([before, Buffer.from(secret), Buffer.from([32]), before])
          const out = Buffer.concat([
            ...cutInto(whole, cuts).map((chunk) => stream.push(chunk)),
            stream.end(),
          ])
          expect(out.equals(Buffer.concat([before, Buffer.from(`<redacted:${kind}> `), before]))).toBe(true)
        },
      ),
      { numRuns: scaled(20_000, 400) },
    )
  })
})

describe('scrubbing twice changes nothing', () => {
  const soup = fc
    .array(fc.oneof(words, shaped, fc.constant('Zq9-known-secret+value/7'), fc.string({ maxLength: 8 })), {
      maxLength: 10,
    })
    .map((parts) => parts.join(''))

  test('of text, JSON, URLs and headers', () => {
    fc.assert(
      fc.property(soup, side, (text, onSide) => {
        const scrubber = createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } })
        const again = createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } })
        const once = scrubber.text(text, onSide)
        expect(scrubber.text(once, onSide)).toBe(once)
        expect(again.text(once, onSide)).toBe(once)
        const json = JSON.stringify({
          note: text,
          password: text,
          list: [text],
          [text]: 1,
          inner: JSON.stringify({ token: text }),
        })
        const jsonOnce = scrubber.jsonText(json, onSide)
        expect(scrubber.jsonText(jsonOnce, onSide)).toBe(jsonOnce)
        expect(() => JSON.parse(jsonOnce)).not.toThrow()
        const url = `https://example.com/${text}?q=${text}`
        const urlOnce = scrubber.url(url)
        // By another one: this one has learned a value from the query, after it had passed the path.
        expect(createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } }).url(urlOnce)).toBe(urlOnce)
        for (const name of ['authorization', 'cookie', 'x-note', 'set-cookie']) {
          const header = scrubber.header(name, text)
          expect(scrubber.header(name, header)).toBe(header)
        }
      }),
      { numRuns: scaled(20_000, 400) },
    )
  })

  test('of a stream', () => {
    fc.assert(
      fc.property(soup, side, fc.array(fc.nat(2000), { maxLength: 8 }), (text, onSide, cuts) => {
        const run = (bytes: Uint8Array): Buffer => {
          const stream = createScrubber({ env: { MY_SECRET: 'Zq9-known-secret+value/7' } }).stream(onSide)
          return Buffer.concat([...cutInto(bytes, cuts).map((chunk) => stream.push(chunk)), stream.end()])
        }
        const once = run(Buffer.from(text))
        expect(run(once).toString('latin1')).toBe(once.toString('latin1'))
      }),
      { numRuns: scaled(10_000, 200) },
    )
  })
})

test('binary data passes a stream unharmed, whatever the chunking', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2000 }),
      fc.array(fc.nat(2000), { maxLength: 8 }),
      (bytes, cuts) => {
        const scrubber = createScrubber()
        const stream = scrubber.stream('received')
        const out = Buffer.concat([...cutInto(bytes, cuts).map((chunk) => stream.push(chunk)), stream.end()])
        expect(out.equals(bytes)).toBe(true)
        expect(scrubber.bytes(bytes, 'received')).toBe(bytes)
      },
    ),
    { numRuns: scaled(5000) },
  )
})
