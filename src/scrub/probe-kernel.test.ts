import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAsciiBlock } from './base64-alphabet.ts'
import { isCodeBlock } from './code-alphabet.ts'
import { KnownIndex } from './known-index.ts'
import { BLOCK, createProbeKernel, PERCENT_MARK, ZERO_MARK } from './probe-kernel.ts'
import { spelled } from './spelling.ts'

const kernel = createProbeKernel()
if (kernel === null) throw new Error('this Node has no WebAssembly with SIMD')

const encoded = fc.string({ maxLength: 30 }).map((text) => Buffer.from(text).toString('base64'))
const piece = fc.oneof(
  encoded,
  fc.string({ maxLength: 20 }),
  fc.constantFrom('%41', '\0', 'plain words ', 'camelCaseName', 'a_b-c/d+e', '\u00e9'),
)
const texts = fc
  .array(piece, { maxLength: 20 })
  .map((pieces) => Buffer.from(pieces.join('')).toString('latin1'))

test('the blocks that the kernel finds are those of the plain check, with the marks of % and zero bytes', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const length = kernel.text.write(text, 0, 'latin1')
      kernel.scan(length, 1)
      const result = kernel.found_blocks()
      const blocks = [...kernel.blocks.subarray(0, result >> 2)].filter((at) => at + BLOCK <= length)
      const plain: number[] = []
      for (let at = 0; at + BLOCK <= length; at += BLOCK) if (isAsciiBlock(text, at)) plain.push(at)
      expect(blocks).toEqual(plain)
      expect((result & PERCENT_MARK) !== 0).toBe(text.includes('%'))
      expect((result & ZERO_MARK) !== 0).toBe(text.includes('\0'))
    }),
    { numRuns: 500 },
  )
})

const codes = fc.string({ maxLength: 12 }).map((text) => [...Buffer.from(text)].join(', '))
const hex = fc.string({ maxLength: 12 }).map((text) => Buffer.from(text).toString('hex'))
const anyByte = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('latin1'))

test('the blocks of codes that the kernel finds are those of the plain check', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, codes, hex, anyByte), { maxLength: 20 }), (pieces) => {
      const text = Buffer.from(pieces.join(''), 'latin1').toString('latin1')
      const length = kernel.text.write(text, 0, 'latin1')
      const found = [...kernel.found.subarray(0, kernel.codes(length))].filter((at) => at + BLOCK <= length)
      const plain: number[] = []
      for (let at = 0; at + BLOCK <= length; at += BLOCK) if (isCodeBlock(text, at)) plain.push(at)
      expect(found).toEqual(plain)
    }),
    { numRuns: 500 },
  )
})

test('the kernel samples the same windows of known values as the plain loop', () => {
  const index = new KnownIndex()
  index.mirrorTo(kernel.windowBits)
  const values = Array.from({ length: 3000 }, (_, n) => `value-${(n * 7919).toString(36)}-${n}-Zq9`)
  for (const value of values)
    index.add({
      ...spelled(value),
      kind: 'value',
      placeholder: '<redacted:value>',
      seen: { input: 0, end: 0 },
    })
  fc.assert(
    fc.property(fc.array(fc.oneof(texts, fc.constantFrom(...values)), { maxLength: 6 }), (pieces) => {
      const text = pieces.join(' ')
      const length = kernel.text.write(text, 0, 'latin1')
      const sampled = [...kernel.found.subarray(0, kernel.sample(length, index.shift))].filter(
        (at) => at + 5 <= length,
      )
      const plain: number[] = []
      index.sampleText(text, (at) => void plain.push(at))
      expect(sampled).toEqual(plain)
    }),
    { numRuns: 300 },
  )
})
