import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chacha20Block } from './chacha20.ts'
import { integerBetween, uuidV4, uuidV7 } from './derived.ts'
import { seededSource } from './seeded.ts'

test('ChaCha20 gives the key stream of RFC 8439, appendix A.1', () => {
  const zeros = new Uint8Array(32)
  const one = Uint8Array.from(zeros, (_, index) => (index === 31 ? 1 : 0))
  expect(Buffer.from(chacha20Block(zeros, 0)).toString('hex')).toBe(
    '76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586',
  )
  expect(Buffer.from(chacha20Block(zeros, 1)).toString('hex')).toBe(
    '9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f',
  )
  expect(Buffer.from(chacha20Block(one, 1)).toString('hex')).toBe(
    '3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0',
  )
  expect(() => chacha20Block(new Uint8Array(31), 0)).toThrow('32 bytes, not 31')
})

test('one seed, one stream; another seed, another stream', () => {
  const drawn = (seed: string): string => {
    const source = seededSource(seed)
    return `${Buffer.from(source.bytes(5)).toString('hex')} ${source.double()} ${uuidV4(source)} ${integerBetween(source, 10, 20)}`
  }
  expect(drawn('a')).toBe(drawn('a'))
  expect(drawn('a')).not.toBe(drawn('b'))
  expect(drawn('')).not.toBe(drawn('0'))
})

test('the first values of seed "1" never change', () => {
  const source = seededSource('1')
  expect([Buffer.from(source.bytes(8)).toString('hex'), source.double(), uuidV4(source)]).toEqual([
    '012736865cbe9b54',
    0.8006079093961774,
    'b63dafe0-88a6-4a1c-9268-d0fea9f25005',
  ])
})

test('how the bytes are asked for does not matter', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat(200), { maxLength: 12 }), (seed, sizes) => {
      const parts = seededSource(seed)
      const whole = seededSource(seed).bytes(sizes.reduce((sum, size) => sum + size, 0))
      expect(Buffer.concat(sizes.map((size) => parts.bytes(size)))).toEqual(Buffer.from(whole))
    }),
  )
})

test('doubles fill [0, 1) evenly, integers their range', () => {
  const source = seededSource('spread')
  const doubles = Array.from({ length: 20_000 }, () => source.double())
  expect(doubles.every((value) => value >= 0 && value < 1)).toBe(true)
  const tenths = Array.from(
    { length: 10 },
    (_, tenth) => doubles.filter((value) => Math.floor(value * 10) === tenth).length,
  )
  expect(Math.min(...tenths)).toBeGreaterThan(1850)
  expect(Math.max(...tenths)).toBeLessThan(2150)
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 2 ** 31 }), (min, range) => {
      const value = integerBetween(source, min, min + range)
      expect(value).toBeGreaterThanOrEqual(min)
      expect(value).toBeLessThan(min + range)
    }),
  )
})

test('an integer is drawn again rather than bent into the range', () => {
  const draws = [
    [255, 255, 255, 255, 255, 255],
    [0, 0, 0, 0, 0, 5],
  ]
  expect(integerBetween({ bytes: () => Uint8Array.from(draws.shift() ?? []), double: () => 0 }, 0, 3)).toBe(2)
  expect(draws).toEqual([])
})

test('UUIDs carry their version and variant, version 7 the time', () => {
  const ones = { bytes: (size: number) => new Uint8Array(size).fill(255), double: () => 0 }
  expect(uuidV4(ones)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  expect(uuidV7(ones, 1_767_225_600_000)).toBe('019b76da-a800-7fff-bfff-ffffffffffff')
})
