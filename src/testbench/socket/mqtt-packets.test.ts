import { expect, test } from 'vitest'
import { MqttPackets } from './mqtt-packets.ts'

const packet = (length: number): Buffer => {
  const head = length < 128 ? [length] : [(length & 0x7f) | 0x80, (length >> 7) & 0x7f]
  return Buffer.concat([Buffer.from([0x30, ...head]), Buffer.alloc(length, 'x')])
}
const packets = [packet(0), packet(5), packet(127), packet(128), packet(2000)]
const all = Buffer.concat(packets)

test.each([1, 2, 3, 7, 500, 100_000])('joins messages of %i bytes to packets', (size) => {
  const reader = new MqttPackets()
  const joined: Uint8Array[] = []
  for (let at = 0; at < all.length; at += size) joined.push(...reader.push(all.subarray(at, at + size)))
  expect(joined.map((bytes) => Buffer.from(bytes))).toEqual(packets)
  expect(reader.isHolding).toBe(false)
})

test('releases the messages of an incomplete packet as they were', () => {
  const reader = new MqttPackets()
  expect(reader.push(Buffer.of(0x10))).toEqual([])
  expect(reader.push(Buffer.of(9, 1))).toEqual([])
  expect(reader.isHolding).toBe(true)
  expect(reader.release().map((bytes) => [...bytes])).toEqual([[0x10], [9, 1]])
  expect(reader.isHolding).toBe(false)
})

test('passes on a packet above 1 MiB as it comes', () => {
  const reader = new MqttPackets()
  // 2 MiB in three bytes of 7 bits and one more.
  const head = Buffer.of(0x30, 0x80, 0x80, 0x80, 0x01)
  const sizes = (bytes: Uint8Array): number[] => reader.push(bytes).map(({ byteLength }) => byteLength)
  expect(sizes(head)).toEqual([5])
  expect(sizes(Buffer.alloc(2 ** 20))).toEqual([2 ** 20])
  expect(sizes(Buffer.concat([Buffer.alloc(2 ** 20), packet(3)]))).toEqual([2 ** 20, 5])
  expect(reader.isHolding).toBe(false)
})

test('bytes that are no MQTT are not held for ever', () => {
  const reader = new MqttPackets()
  expect(reader.push(Buffer.alloc(12, 0xff)).map(({ byteLength }) => byteLength)).toEqual([5, 5])
})
