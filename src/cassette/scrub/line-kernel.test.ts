import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineKernel, type LineKernel } from './line-kernel.ts'
import { columnAfterLines } from './stream-bytes.ts'
import { isPlain } from './vt-parser.ts'

const kernel: LineKernel = createLineKernel() ?? (() => Number.NaN)
const byLoop = (bytes: Uint8Array, column: number, cols: number): number | null =>
  isPlain(bytes) && !bytes.includes(0x09) ? columnAfterLines(Buffer.from(bytes), column, cols) : null

test.each([
  ['one line', 0, 80, 8],
  ['goes on', 3, 80, 10],
  ['ends\r\n', 0, 80, 0],
  ['ends\r\nnext', 7, 80, 4],
  ['ends\n', 0, 80, null],
  ['\n', 0, 80, 0],
  ['\n', 5, 80, null],
  ['\n', 80, 80, null],
  ['fills\r\n', 0, 5, null],
  ['fills twice\r\n', 0, 11, null],
  ['back\rover', 0, 80, null],
  ['open\r', 0, 80, null],
  ['twice\r\r\n', 0, 80, null],
  ['bell\x07', 0, 80, null],
  ['caf\u00e9', 0, 80, null],
  ['tab\there', 0, 80, null],
  ['del\x7f', 0, 80, null],
])('%j from column %i of %i', (text, column, cols, expected) => {
  expect(kernel(Buffer.from(text), column, cols)).toBe(expected)
  expect(byLoop(Buffer.from(text), column, cols)).toBe(expected)
})

test('every byte, at every place in the sixteen, is judged as the loop judges it', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 33; at += 1) {
      const bytes = new Uint8Array(40).fill(0x61)
      bytes[at] = byte
      expect([byte, at, kernel(bytes, 3, 80)]).toEqual([byte, at, byLoop(bytes, 3, 80)])
    }
  }
})

test('any lines, of any length, give what the loop gives', () => {
  const part = fc.oneof(
    fc.constantFrom('\r\n', '\n', '\r', '\t', ' ', '\x1b'),
    fc.stringMatching(/^[a-z]{0,40}$/),
  )
  const text = fc.array(part, { maxLength: 60 })
  fc.assert(
    fc.property(text, fc.nat(200), fc.integer({ min: 1, max: 90 }), (parts, column, cols) => {
      const bytes = Buffer.from(parts.join(''))
      expect(kernel(bytes, column, cols)).toBe(byLoop(bytes, column, cols))
    }),
    { numRuns: 2000 },
  )
})

test('what an earlier, longer text left behind does not count', () => {
  expect(kernel(new Uint8Array(4096).fill(0x0a), 0, 80)).toBe(0)
  expect(kernel(Buffer.from('all is well'), 0, 80)).toBe(11)
})

test.each([
  ['tab\there', 0, 80, 12],
  ['\t', 79, 80, null],
  ['\t', 80, 80, null],
  ['\tx', 76, 80, 80],
  ['\tx', 80 + 9, 80, 80 + 17],
  ['a\tb\r\nc', 0, 80, 1],
])('the loop knows tabs: %j from column %i of %i', (text, column, cols, expected) => {
  expect(columnAfterLines(Buffer.from(text), column, cols)).toBe(expected)
})
