import { expect, it } from 'vitest'
import { label } from '../../base/index.ts'
import { createScrubber } from '../../scrub/index.ts'
import { derivedSecrets, drawPlain } from './derived-secrets.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

it('bytes that look like a key are drawn again', () => {
  const draws = ['a key', 'another key', 'plain', 'plain too']
  const draw = (): Uint8Array => bytes(draws.shift() ?? '')
  expect(drawPlain(draw, (drawn) => String(drawn).includes('key'))).toEqual(bytes('plain'))
  expect(draws).toEqual(['plain too'])
})

it('if all draws look like a key, the last one is taken', () => {
  let draws = 0
  const draw = (): Uint8Array => {
    draws += 1
    return bytes(`key ${draws}`)
  }
  expect(String(drawPlain(draw, () => true))).toBe(`key ${draws}`)
})

it('in no encoding of what replaces a value is there a key', () => {
  const searched: string[] = []
  const scrubber = createScrubber()
  const watched = {
    ...scrubber,
    find: (text: string, side: 'sent' | 'received', final: boolean) => {
      searched.push(text)
      return scrubber.find(text, side, final)
    },
  }
  const secrets = derivedSecrets((_api, draw) => draw(), watched)
  const substitute = Buffer.from(secrets.substitute(bytes('a digest of a password')))
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(searched).toContain(substitute.toString(encoding))
})

it('the bytes of a value that are kept are in what replaces it', () => {
  let onTape: Uint8Array = new Uint8Array()
  const secrets = derivedSecrets((_api, draw) => {
    onTape = draw()
    return onTape
  }, createScrubber())
  const value = bytes('0123456789abcdef')
  const isKept = () => (at: number) => at < 4
  expect(secrets.make(label('crypto.sign'), () => value, isKept)).toBe(value)
  expect(Buffer.from(onTape.subarray(0, 4)).toString()).toBe('0123')
  expect(Buffer.from(onTape).equals(value)).toBe(false)
})

it('what replaces a value is the same text in base64 and base64url', () => {
  const secrets = derivedSecrets((_api, draw) => draw(), createScrubber())
  for (let length = 18; length < 68; length += 1) {
    const substitute = Buffer.from(secrets.substitute(Buffer.alloc(length, length)))
    expect(substitute).toHaveLength(length)
    expect(substitute.toString('base64').replace(/=+$/, '')).toBe(substitute.toString('base64url'))
  }
})

it('a value is replaced in base64 without its padding, too', () => {
  const scrubber = createScrubber()
  const secrets = derivedSecrets((_api, draw) => draw(), scrubber)
  const value = Buffer.from('fbff'.repeat(10), 'hex')
  const substitute = Buffer.from(secrets.substitute(value))
  const etag = value.toString('base64').slice(0, 27)
  expect(etag).toContain('+')
  expect(String(scrubber.text(`W/"9c-${etag}"`, 'sent'))).toBe(`W/"9c-${substitute.toString('base64url')}"`)
})

it('a value counts as received after the program has changed the bytes that it got, and a later one does not', () => {
  const secrets = derivedSecrets((_api, draw) => draw(), createScrubber())
  const value = Buffer.from('a digest of 20 bytes')
  const chunk = Buffer.from(`v=${value.toString('hex')}`)
  secrets.received(chunk)
  const other = Buffer.from('another one of bytes')
  chunk.write(other.toString('hex'), 2)
  expect(secrets.isReceived(value)).toBe(true)
  expect(secrets.isReceived(other)).toBe(false)
  for (let count = 0; count < 40; count += 1) secrets.received(Buffer.alloc(300))
  expect(secrets.isReceived(value)).toBe(false)
  secrets.received(Buffer.concat([Buffer.alloc(20_000), Buffer.from(other.toString('hex'))]))
  expect(secrets.isReceived(other)).toBe(true)
})
