import { expect, test } from 'vitest'
import {
  formatBytes,
  formatCost,
  formatDuration,
  formatMoment,
  formatShort,
  formatWall,
  plural,
} from './format.ts'

test.each([
  [0, '0 ms'],
  [0.25, '0.25 ms'],
  [2.5, '2.5 ms'],
  [12, '12 ms'],
  [999.6, '1.00 s'],
  [1240, '1.24 s'],
  [12_340, '12.3 s'],
  [125_000, '2 min 05 s'],
  [11_520_000, '3 h 12 min'],
  [864_000_000, '10.0 d'],
])('duration %d is %s', (ms, expected) => expect(formatDuration(ms)).toBe(expected))

test.each([
  [0, '0.000'],
  [12_481, '12.481'],
  [187_120, '3:07.120'],
  [3_661_001, '1:01:01.001'],
  [-5, '-0.005'],
])('moment %d is %s', (ms, expected) => expect(formatMoment(ms)).toBe(expected))

test.each([
  [999, '999 B'],
  [1500, '1.5 KB'],
  [25_000, '25 KB'],
  [3_200_000, '3.2 MB'],
  [5e12, '5.0 TB'],
])('%d bytes are %s', (bytes, expected) => expect(formatBytes(bytes)).toBe(expected))

test('counts, costs and dates', () => {
  expect(formatShort(9_999)).toBe('9,999')
  expect(formatShort(12_400)).toBe('12.4K')
  expect(formatCost(0.01234)).toBe('$0.0123')
  expect(formatCost(12.5)).toBe('$12.50')
  expect(formatWall(0)).toBe('1970-01-01 00:00:00.000 UTC')
  expect(formatWall(Number.MAX_VALUE)).toBe('1.7976931348623157e+308')
  expect(plural(1, 'record')).toBe('1 record')
  expect(plural(2000, 'entry', 'entries')).toBe('2,000 entries')
})
