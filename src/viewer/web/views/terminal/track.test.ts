import { expect, test } from 'vitest'
import { createTrack } from './track.ts'

const resize = { atMs: 20, kind: 'resize', text: '100x40', rows: 40, cols: 100, reply: false } as const
const track = createTrack(Float64Array.of(0, 10, 30), Float64Array.of(5, 9, 20), {
  rows: 24,
  cols: 80,
  durationMs: 50,
  inputs: [resize],
})

test.each([
  [-1, 0],
  [0, 5],
  [9.9, 5],
  [10, 9],
  [29, 9],
  [30, 20],
  [99, 20],
])('at %d ms %d bytes have come', (atMs, bytes) => expect(track.bytesAt(atMs)).toBe(bytes))

test('steps from chunk to chunk', () => {
  expect([track.next(-1), track.next(0), track.next(10), track.next(30)]).toEqual([0, 10, 30, 50])
  expect([track.previous(50), track.previous(30), track.previous(10), track.previous(0)]).toEqual([
    30, 10, 0, 0,
  ])
})

test('has the size of the last resize', () => {
  expect(track.sizeAt(19)).toEqual({ rows: 24, cols: 80 })
  expect(track.sizeAt(20)).toEqual({ rows: 40, cols: 100 })
})
