import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPausedClock } from './paused-clock.ts'
import { createVirtualClock } from './virtual-clock.ts'

test('time stands still until a timer fires', () => {
  const clock = createVirtualClock({ startAtMs: 1000 })
  const fired: number[] = []
  clock.arm(500, true, () => fired.push(clock.wallMs()))
  clock.arm(20.9, true, () => fired.push(clock.monotonicMs()))
  expect([
    clock.wallMs(),
    clock.monotonicMs(),
    clock.monotonicNs(),
    clock.wallNs(),
    clock.uptimeMs(),
    clock.timeOriginMs(),
  ]).toEqual([1000, 0, 0n, 1_000_000_000n, 0, 1000])
  expect(clock.nextDueMs()).toBe(1020)
  expect(clock.fireNext()).toBe(true)
  expect(clock.fireNext()).toBe(true)
  expect(clock.fireNext()).toBe(false)
  expect(fired).toEqual([20, 1500])
  expect([clock.wallMs(), clock.monotonicNs(), clock.nextDueMs()]).toEqual([1500, 500_000_000n, null])
})

test('a timer armed by a timer counts from then', () => {
  const clock = createVirtualClock({ startAtMs: 0 })
  const fired: string[] = []
  clock.arm(10, true, () => {
    fired.push('a')
    clock.arm(5, true, () => fired.push('b'))
  })
  clock.arm(16, true, () => fired.push('c'))
  while (clock.fireNext());
  expect(fired).toEqual(['a', 'b', 'c'])
})

test('only timers that are ref count as awaited', () => {
  let calls = 0
  const clock = createVirtualClock({
    startAtMs: 0,
    onArmed: () => {
      calls += 1
    },
  })
  const timer = clock.arm(5, false, () => undefined)
  expect(clock.isAwaited()).toBe(false)
  timer.setRef(true)
  expect([clock.isAwaited(), calls]).toEqual([true, 2])
  timer.setRef(false)
  timer.setRef(true)
  timer.disarm()
  timer.disarm()
  timer.setRef(false)
  timer.setRef(true)
  expect([clock.isAwaited(), clock.nextDueMs()]).toEqual([false, null])
})

test('timers fire by due time, then by the order of arming, without those that were disarmed', () => {
  const armed = fc.array(fc.record({ delay: fc.nat(30), disarmed: fc.boolean() }), { maxLength: 60 })
  fc.assert(
    fc.property(armed, (timers) => {
      const clock = createVirtualClock({ startAtMs: 0 })
      const fired: number[] = []
      const handles = timers.map(({ delay }, index) => clock.arm(delay, true, () => fired.push(index)))
      timers.forEach(({ disarmed }, index) => {
        if (disarmed) handles[index]?.disarm()
      })
      while (clock.fireNext());
      const expected = timers
        .map(({ delay, disarmed }, index) => ({ due: Math.max(1, delay), disarmed, index }))
        .filter(({ disarmed }) => !disarmed)
        .sort((a, b) => a.due - b.due || a.index - b.index)
        .map(({ index }) => index)
      expect(fired).toEqual(expected)
      expect(clock.isAwaited()).toBe(false)
    }),
  )
})

test('a paused world goes on by itself, but not while it is busy', async () => {
  let busy = true
  const driver = createPausedClock({ startAtMs: 0, isBusy: () => busy })
  let firedAt = -1
  driver.arm(3_600_000, true, () => {
    firedAt = driver.wallMs()
  })
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(firedAt).toBe(-1)
  busy = false
  driver.wake()
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(firedAt).toBe(3_600_000)
})

test('timers that nobody waits for do not make time go on', async () => {
  const driver = createPausedClock({ startAtMs: 0, isBusy: () => false })
  const fired: string[] = []
  driver.arm(10, false, () => fired.push('unref'))
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(fired).toEqual([])
  driver.arm(20, true, () => fired.push('ref'))
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(fired).toEqual(['unref', 'ref'])
})
