import { expect, it } from 'vitest'
import { MAX_WAITING_BYTES, type Outcome } from '../session.ts'
import type { Handler } from './handlers.ts'
import { startLive } from './live-request.ts'

function started(isPaused: () => boolean) {
  const handlers: Handler[] = []
  const outcomes: Outcome[] = []
  let resumed = 0
  const dispatch = (_options: unknown, given: Handler): boolean => handlers.push(given) > 0
  const options = { path: '/', method: 'GET' }
  const live = startLive({ dispatch }, options, (outcome) => outcomes.push(outcome), isPaused, 'old')
  const resume = (): void => {
    resumed += 1
  }
  return {
    live,
    outcomes,
    head: () => handlers[0]?.onHeaders?.(200, [], resume, 'OK'),
    data: (bytes: number) => handlers[0]?.onData?.(Buffer.alloc(bytes)),
    resumed: () => resumed,
  }
}

it('resumes the real request only after it had to stop', () => {
  let isPaused = false
  const { live, outcomes, head, data, resumed } = started(() => isPaused)
  expect([head(), data(1)]).toEqual([true, true])
  live.resume()
  expect(resumed()).toBe(0)
  isPaused = true
  expect(data(1)).toBe(false)
  live.resume()
  expect(resumed()).toBe(0)
  isPaused = false
  live.resume()
  live.resume()
  expect(resumed()).toBe(1)
  expect(outcomes.map(({ type }) => type)).toEqual(['head', 'chunk', 'chunk'])
})

it('resumes a request that was stopped because too much waits, once the program has taken it', () => {
  const { live, head, data, resumed } = started(() => false)
  expect([head(), data(MAX_WAITING_BYTES)]).toEqual([true, false])
  live.resume()
  expect(resumed()).toBe(0)
  live.taken(MAX_WAITING_BYTES)
  // A dispatcher may give one more chunk before it stops.
  expect(data(1)).toBe(true)
  live.resume()
  expect(resumed()).toBe(1)
})
