import { expect, test } from 'vitest'
import { createPatience } from './patience.ts'

/**
 * Looks every `everyMs` of wall time, using `cpuShare` of it, until it is over; gives the wall time, or null
 * after ten seconds.
 */
function wallUntilOver(
  everyMs: number,
  cpuShare: (atMs: number) => number,
  isLoading: () => boolean = () => false,
): number | null {
  let wall = 0
  let cpu = 0
  const patience = createPatience(
    () => wall,
    () => cpu,
    isLoading,
  )
  while (wall < 10_000) {
    if (patience.isOver(900)) return wall
    cpu += everyMs * cpuShare(wall)
    wall += everyMs
  }
  return null
}

test('a program that is idle is waited for less than a second', () => {
  expect(wallUntilOver(5, () => 0.02)).toBe(905)
})

test('a program that computes is waited for', () => {
  expect(wallUntilOver(5, () => 0.9)).toBe(null)
  expect(wallUntilOver(5, (at) => (at < 3000 ? 0.9 : 0))).toBe(3905)
})

test('on a machine that lets it run only now and then it is waited for longer', () => {
  expect(wallUntilOver(100, () => 0.01)).toBe(9100)
})

test('while Node may be loading a module it is waited for ten times as long', () => {
  expect(
    wallUntilOver(
      5,
      () => 0.02,
      () => true,
    ),
  ).toBe(9005)
})

test('begins anew when something has happened', () => {
  let wall = 0
  const patience = createPatience(
    () => wall,
    () => 0,
    () => false,
  )
  const idle = (looks: number): boolean => {
    let over = false
    for (let look = 0; look < looks; look += 1) {
      over = patience.isOver(900)
      wall += 5
    }
    return over
  }
  expect(idle(150)).toBe(false)
  patience.reset()
  expect(idle(150)).toBe(false)
  expect(idle(40)).toBe(true)
})
