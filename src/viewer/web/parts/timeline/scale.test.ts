import { expect, test } from 'vitest'
import { fromPixels, panBy, revealing, ticks, toPixels, within, zoomAt } from './scale.ts'

const extent = { from: 0, to: 10_000 }

test('maps to pixels and back', () => {
  expect(toPixels({ from: 1000, to: 3000 }, 500, 2000)).toBe(250)
  expect(fromPixels({ from: 1000, to: 3000 }, 500, 250)).toBe(2000)
})

test('zooms around the pointer and stays inside', () => {
  expect(zoomAt('time', extent, extent, 0.5, 5000)).toEqual({ from: 2500, to: 7500 })
  expect(zoomAt('time', extent, extent, 0.5, 0)).toEqual({ from: 0, to: 5000 })
  expect(zoomAt('time', extent, { from: 8000, to: 10_000 }, 100, 9000)).toEqual(extent)
  const smallest = zoomAt('record', extent, { from: 10, to: 15 }, 0.001, 12)
  expect(smallest.to - smallest.from).toBe(4)
})

test('pans up to the ends', () => {
  expect(panBy(extent, { from: 0, to: 100 }, -50)).toEqual({ from: 0, to: 100 })
  expect(panBy(extent, { from: 9000, to: 9900 }, 500)).toEqual({ from: 9100, to: 10_000 })
  expect(within(extent, { from: -5, to: 20_000 })).toEqual(extent)
})

test('moves only if the moment is out of view', () => {
  const range = { from: 1000, to: 2000 }
  expect(revealing(extent, range, 1500)).toBe(range)
  expect(revealing(extent, range, 5000)).toEqual({ from: 4500, to: 5500 })
})

test.each([
  ['time', { from: 0, to: 10_000 }, 500, ['0', '2 s', '4 s', '6 s', '8 s', '10 s']],
  ['time', { from: 0, to: 1 }, 500, ['0', '0.2 ms', '0.4 ms', '0.6 ms', '0.8 ms', '1.0 ms']],
  ['time', { from: 200, to: 400 }, 200, ['200 ms', '300 ms', '400 ms']],
  ['time', { from: 59_500, to: 60_500 }, 300, ['59.5 s', '1:00.0', '1:00.5']],
  ['time', { from: 0, to: 7_200_000 }, 400, ['0', '30:00', '1:00:00', '1:30:00', '2:00:00']],
  ['record', { from: 0, to: 1_000_000 }, 400, ['#0', '#500,000', '#1,000,000']],
] as const)('%s axis %j over %d pixels', (axis, range, width, expected) => {
  expect(ticks(axis, range, width).map((tick) => tick.label)).toEqual(expected)
})
