import { deflateRawSync, constants as zlib } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Compression, MessageReader } from './messages.ts'

const read = (reader: MessageReader, bytes: Buffer, size = bytes.length): string[] => {
  const seen: string[] = []
  for (let at = 0; at < bytes.length; at += size)
    for (const message of reader.push(bytes.subarray(at, at + size)))
      seen.push(`${message.type} ${Buffer.from(message.bytes)}`)
  return seen
}
const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(first, text.length), Buffer.from(text)])
const whole = frame(0x81, 'first')

test.each([1, 2, 3, 1000])('joins fragments, with a ping between them, from pieces of %i bytes', (size) => {
  const bytes = [whole, frame(0x01, 'AB'), frame(0x89, 'p'), frame(0x00, 'C'), frame(0x80, 'D'), whole]
  const reader = new MessageReader('server', null)
  expect(read(reader, Buffer.concat(bytes), size)).toEqual([
    'text first',
    'ping p',
    'text ABCD',
    'text first',
  ])
  expect({ isBroken: reader.isBroken, rest: reader.release() }).toEqual({
    isBroken: false,
    rest: Buffer.alloc(0),
  })
})

const deflate: Compression = { keepsContext: true }
test.each([
  ['a reserved bit', frame(0xf1, 'x'), null],
  ['compression that was not agreed', frame(0xc1, 'x'), null],
  ['compressed bytes that are damaged', frame(0xc1, '\xff\xff\xff'.slice(0, 3)), deflate],
  ['an unknown opcode', frame(0x83, 'x'), null],
  ['a continuation of nothing', frame(0x80, 'x'), null],
  ['a ping in fragments', frame(0x09, 'x'), null],
  ['a mask of a server', Buffer.of(0x81, 0x81, 1, 2, 3, 4, 5), null],
])('stops before %s, and keeps its bytes', (_what, broken, compression) => {
  const reader = new MessageReader('server', compression)
  const all = Buffer.concat([whole, broken, whole])
  expect(read(reader, all)).toEqual(['text first'])
  expect(reader.isBroken).toBe(true)
  expect(reader.release()).toEqual(Buffer.concat([broken, whole]))
})

test('keeps the fragments of a message that another one interrupts', () => {
  const reader = new MessageReader('server', null)
  const parts = Buffer.concat([frame(0x01, 'AB'), frame(0x81, 'CD')])
  expect(read(reader, parts)).toEqual([])
  expect([reader.isBroken, reader.release()]).toEqual([true, parts])
})

test('inflates with the window of earlier messages', () => {
  const text = 'the same text again'
  const packed = (dictionary?: Buffer): Buffer =>
    deflateRawSync(text, { finishFlush: zlib.Z_SYNC_FLUSH, ...(dictionary && { dictionary }) }).subarray(
      0,
      -4,
    )
  const [one, two] = [packed(), packed(Buffer.from(text))]
  const frames = [one, two].map((bytes) => Buffer.concat([Buffer.of(0xc1, bytes.length), bytes]))
  const reader = new MessageReader('server', deflate)
  expect(read(reader, Buffer.concat(frames), 5)).toEqual([`text ${text}`, `text ${text}`])
})

test('reads a frame of a client, and refuses one without a mask', () => {
  const masked = Buffer.of(0x81, 0x82, 1, 2, 3, 4, 0x41 ^ 1, 0x42 ^ 2)
  expect(read(new MessageReader('client', null), masked)).toEqual(['text AB'])
  const reader = new MessageReader('client', null)
  expect([read(reader, whole), reader.isBroken]).toEqual([[], true])
})
