import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NormalisedBytes } from './normalised-bytes.ts'

const parts = fc.array(
  fc.oneof(
    fc.constantFrom(
      '--bnd-7\r\n',
      '<redacted:jwt:12>',
      '<redacted:env:A#2>',
      '%3Credacted%3Ajwt%3A40%3E',
      '<',
      '%3',
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 12 }),
    fc.integer({ min: 200, max: 600 }).map((length) => '.'.repeat(length)),
  ),
  { maxLength: 20 },
)

test('cut anywhere, the bytes are those of the whole text', () => {
  fc.assert(
    fc.property(parts, fc.array(fc.nat(3000), { maxLength: 12 }), (texts, cuts) => {
      const bytes = Buffer.from(texts.join(''), 'latin1')
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ]
      const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end))
      expect(normalised(pieces)).toBe(normalised([bytes]))
    }),
    { numRuns: 2000 },
  )
})

test('placeholders with a length lose it, and the boundary has one name', () => {
  expect(normalised([Buffer.from('--bnd-7 <redacted:jwt:12> %3Credacted%3Ajwt%3E')])).toBe(
    '--boundary <redacted:jwt> <redacted:jwt>',
  )
})

function normalised(pieces: readonly Uint8Array[]): string {
  const out: Buffer[] = []
  const bytes = new NormalisedBytes('multipart/form-data; boundary=bnd-7', (piece) =>
    out.push(Buffer.from(piece)),
  )
  for (const piece of pieces) bytes.add(piece)
  bytes.end()
  return Buffer.concat(out).toString('latin1')
}
