import { expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { stdinScrubber } from './line-scrubber.ts'

const GREETING = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"x"}}\n'
const LOGIN =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"password":"correct horse"}}}\n'
const CLEAN = LOGIN.replace('correct horse', '<redacted:password>')

const through = (pieces: readonly (string | Uint8Array)[]): string => {
  const scrubber = stdinScrubber(createScrubber({ env: {} }))
  return Buffer.concat([
    ...pieces.map((piece) => scrubber.push(Buffer.from(piece as string))),
    scrubber.end(),
  ]).toString()
}

test('the arguments of a tool are scrubbed by the names of their fields', () => {
  expect(through([GREETING, LOGIN])).toBe(GREETING + CLEAN)
})

test('wherever the bytes are cut', () => {
  const all = Buffer.from(GREETING + LOGIN)
  for (let at = 0; at <= all.length; at += 1)
    expect(through([all.subarray(0, at), all.subarray(at)])).toBe(GREETING + CLEAN)
})

test('a line is held until it is whole, and what is held is told', () => {
  const scrubber = stdinScrubber(createScrubber({ env: {} }))
  scrubber.push(Buffer.from(GREETING))
  expect(scrubber.held).toBe(0)
  expect(scrubber.push(Buffer.from('{"a":'))).toHaveLength(0)
  expect(scrubber.held).toBe(5)
})

test('anything else is bytes, at once', () => {
  const scrubber = stdinScrubber(createScrubber({ env: {} }))
  expect(Buffer.from(scrubber.push(Buffer.from('SELECT 1'))).toString()).toBe('SELECT 1')
  expect(through(['{"not":"mcp"}\n', '{"password":"correct horse"}'])).toBe(
    '{"not":"mcp"}\n{"password":"correct horse"}',
  )
})

test('bytes that are no text go through', () => {
  const scrubber = stdinScrubber(createScrubber({ env: {} }))
  scrubber.push(Buffer.from(GREETING))
  expect([...scrubber.push(Uint8Array.of(0xff, 0xfe, 0x0a))]).toEqual([0xff, 0xfe, 0x0a])
})

test('a key that is split over two writes does not get through', () => {
  const key = 'sk-proj-4fJq8Zx1RkT7wYb2Nc9Lm3Vd6Gh5Ps0AeXuQ'
  expect(through([GREETING, `{"a":"${key.slice(0, 20)}`, `${key.slice(20)}"}\n`])).not.toContain(
    key.slice(20),
  )
})
