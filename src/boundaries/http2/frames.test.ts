/** Frames and header blocks, also those of Node's own compression, cut anywhere. */
import { expect, test } from 'vitest'
import type { Http2Frame } from '../http2-frame.ts'
import { FrameReader, frameBytes, PREFACE, startsLikeSettings } from './frames.ts'
import { HpackReader, headerBlock } from './hpack.ts'

const FRAMES: readonly Http2Frame[] = [
  {
    frame: 'settings',
    settings: [
      [4, 65_535],
      [8, 1],
    ],
    ack: false,
  },
  {
    frame: 'headers',
    stream: 1,
    headers: [
      [':status', '200'],
      ['x', 'é'.repeat(200)],
    ],
    sensitive: ['x'],
    ends: false,
  },
  { frame: 'headers', stream: 1, headers: [['big', 'y'.repeat(40_000)]], sensitive: [], ends: true },
  { frame: 'data', stream: 3, bytes: Buffer.from('data'), ends: true },
  { frame: 'data', stream: 3, bytes: Buffer.alloc(0), ends: false },
  { frame: 'push', stream: 3, promised: 4, headers: [[':path', '/']], sensitive: [] },
  { frame: 'reset', stream: 5, code: 8 },
  { frame: 'ping', bytes: Buffer.from('12345678'), ack: true },
  { frame: 'goaway', last: 5, code: 11, bytes: Buffer.from('calm') },
  { frame: 'window', stream: 0, increment: 1000 },
  { frame: 'other', type: 12, stream: 0, bytes: Buffer.from('origin') },
]

test.each([1, 7, 100_000])('frames that are written and read in pieces of %i bytes', (size) => {
  const bytes = Buffer.concat([PREFACE, ...FRAMES.map(frameBytes)])
  const reader = new FrameReader(true)
  const read: unknown[] = []
  for (let at = 0; at < bytes.length; at += size)
    for (const { frame } of reader.push(bytes.subarray(at, at + size))) read.push(frame)
  expect(read).toEqual(FRAMES)
  expect(reader.isAtBoundary).toBe(true)
})

test('padding and priorities are left out, and padding is counted', () => {
  const reader = new FrameReader(false)
  const padded = Buffer.from('00000a' + '00' + '09' + '00000001' + '05' + '61626364' + '0000000000', 'hex')
  const priority = Buffer.from('000005' + '02' + '00' + '00000003' + '0000000010', 'hex')
  expect(reader.push(Buffer.concat([priority, padded]))).toEqual([
    { frame: null, wireBytes: 14, padding: 0 },
    {
      frame: { frame: 'data', stream: 1, bytes: Buffer.from('abcd'), ends: true },
      wireBytes: 19,
      padding: 6,
    },
  ])
})

test('bytes that are no frames are given back', () => {
  const reader = new FrameReader(false, () => 16_384)
  const text = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')
  expect(reader.push(text)).toEqual([])
  expect(reader.isBroken).toBe(true)
  expect(Buffer.from(reader.release())).toEqual(text)
})

test('a header block that cannot be read is replaced by one without content', () => {
  const reader = new FrameReader(false)
  const broken = Buffer.from('000003' + '01' + '04' + '00000001' + 'ff8001', 'hex')
  expect(reader.push(broken)).toEqual([])
  expect(Buffer.from(reader.release()).toString('hex')).toBe('000001' + '01' + '04' + '00000001' + '80')
})

test('a header block is written for a reader of any table size', () => {
  const block = headerBlock({ headers: [['a', 'b']], sensitive: [] })
  expect(block.toString('hex')).toBe('20' + '00' + '0161' + '0162')
  expect(new HpackReader().read(block)?.headers).toEqual([['a', 'b']])
})

/** The examples of RFC 7541, C.4 and C.6.1: Huffman codes and a table that grows. */
test('header blocks of the RFC', () => {
  const reader = new HpackReader()
  const read = (hex: string) => reader.read(Buffer.from(hex, 'hex'))?.headers
  expect(read('828684418cf1e3c2e5f23a6ba0ab90f4ff')).toEqual([
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'www.example.com'],
  ])
  expect(read('828684be5886a8eb10649cbf')?.slice(-2)).toEqual([
    [':authority', 'www.example.com'],
    ['cache-control', 'no-cache'],
  ])
  expect(read('828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf')?.slice(-2)).toEqual([
    [':authority', 'www.example.com'],
    ['custom-key', 'custom-value'],
  ])
})

test('the first bytes of a server that speaks HTTP/2', () => {
  expect(startsLikeSettings(frameBytes({ frame: 'settings', settings: [[3, 100]], ack: false }))).toBe(true)
  expect(startsLikeSettings(Buffer.from('HTTP/1.1 200 OK\r\n'))).toBe(false)
  expect(startsLikeSettings(Buffer.from([0x4a, 0, 0, 0, 0x0a, 0x38, 0x2e, 0x30, 0x2e, 0x33]))).toBe(false)
})
