import { expect, test } from 'vitest'
import { goDurationMs, isFresh } from './freshness.ts'

test.each([
  ['24h0m0s', 86_400_000],
  ['15m0s', 900_000],
  ['24h', 86_400_000],
  ['1.5h', 5_400_000],
  ['1h2m3.5s', 3_723_500],
  ['250ms', 250],
  ['-1s', -1000],
  ['0', 0],
  ['', null],
  ['1 day', null],
  ['5', null],
  ['h', null],
])('the duration %j', (text, ms) => {
  expect(goDurationMs(text)).toBe(ms)
})

test('evidence is fresh from its time until its window has passed, and never without either', () => {
  const at = Date.parse('2026-04-22T12:00:00Z')
  const record = { capturedAt: '2026-04-22T12:00:00Z', freshnessWindow: '15m0s' }
  expect([at - 1, at, at + 899_999, at + 900_000].map((now) => isFresh(record, now))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(isFresh({ ...record, freshnessWindow: '' }, at)).toBe(false)
  expect(isFresh({ ...record, capturedAt: '' }, at)).toBe(false)
  expect(isFresh({ ...record, capturedAt: '0' }, at)).toBe(false)
})
