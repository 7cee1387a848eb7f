/**
 * The class behind `mock.timers` of node:test, whose `enable` makes timers fake: every test has an object of
 * it.
 */
import { mock } from 'node:test'

/** Null where this Node has none. */
export function mockTimers(): object | null {
  const timers: unknown = Reflect.get(mock, 'timers')
  return typeof timers === 'object' && timers !== null ? Object.getPrototypeOf(timers) : null
}
