import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentHash, contentHashOfText, createBlake3 } from './blake3.ts'
import { utf8 } from './bytes.ts'
import { GrowingHash } from './growing-hash.ts'

it('gives the hash of the whole text, however the pieces grow, shrink and change', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'x'.repeat(1023), 'ü'.repeat(900)),
  )
  const step = fc.record({
    drop: fc.constantFrom(0, 0, 0, 1, 3),
    add: fc.array(piece, { maxLength: 4 }),
    head: fc.constantFrom('{"a":[', '{"b":['),
    tail: piece,
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) => {
      const growing = new GrowingHash()
      let pieces: string[] = []
      for (const { drop, add, head, tail } of steps) {
        pieces = [...pieces.slice(0, Math.max(0, pieces.length - drop)), ...add]
        const whole = utf8(`${head}${pieces.join(',')}`)
        expect(growing.hash(head, pieces, tail)).toBe(contentHash(Buffer.concat([whole, utf8(tail)])))
      }
    }),
    { numRuns: 300 },
  )
})

it('gives the hash of the whole text for pieces of megabytes, which are not kept', () => {
  const growing = new GrowingHash()
  const pieces: string[] = []
  for (const piece of ['a', 'ü'.repeat(1_048_575), 'b'.repeat(1_048_576), 'c'.repeat(8_000_000), 'd', 'e']) {
    pieces.push(piece)
    expect(growing.hash('[', [...pieces], ']')).toBe(contentHashOfText(`[${pieces.join(',')}]`))
  }
})

it('hashes text as it hashes its bytes', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.nat({ max: 3000 }),
      fc.constantFrom('a', 'ü', '\u{1f600}', '\ud800'),
      (text, times, filler) => {
        const long = `${text}${filler.repeat(times * 20)}${text}`
        expect(contentHashOfText(long)).toBe(contentHash(utf8(long)))
      },
    ),
    { numRuns: 200 },
  )
})

it('copies a stream that goes on by itself', () => {
  const stream = createBlake3()
  stream.update(Buffer.alloc(5000, 1))
  const copy = stream.copy()
  stream.update(Buffer.alloc(3000, 2))
  copy.update(Buffer.alloc(2000, 3))
  expect(stream.digest()).toBe(contentHash(Buffer.concat([Buffer.alloc(5000, 1), Buffer.alloc(3000, 2)])))
  expect(copy.digest()).toBe(contentHash(Buffer.concat([Buffer.alloc(5000, 1), Buffer.alloc(2000, 3)])))
})
