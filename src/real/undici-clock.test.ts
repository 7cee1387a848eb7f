import perfHooks from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { withOwnClock } from './undici-clock.ts'

test('what is loaded takes another performance, with the real now; afterwards everything is as it was', () => {
  const before = Object.getOwnPropertyDescriptor(perfHooks, 'performance')
  const taken: (typeof perfHooks.performance)[] = []
  withOwnClock(() => void taken.push(perfHooks.performance))
  expect(Object.getOwnPropertyDescriptor(perfHooks, 'performance')).toEqual(before)
  expect(taken[0]).not.toBe(perfHooks.performance)
  expect(Math.abs(perfHooks.performance.now() - (taken[0]?.now() ?? Number.NaN))).toBeLessThan(1000)
})

test('a load that fails leaves nothing behind', () => {
  const before = perfHooks.performance
  expect(() =>
    withOwnClock(() => {
      throw new Error('not loaded')
    }),
  ).toThrow('not loaded')
  expect(perfHooks.performance).toBe(before)
})
