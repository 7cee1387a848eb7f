import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Queue } from './queue.ts'

it('returns what was pushed, in order, and knows how much is left', () => {
  const queue = new Queue<number>()
  const shifted: (number | undefined)[] = []
  for (let n = 0; n < 5000; n += 1) {
    queue.push(n)
    if (n % 3 === 0) shifted.push(queue.shift())
  }
  expect([queue.size, queue.peek()]).toEqual([5000 - shifted.length, shifted.length])
  expect([...shifted, ...queue]).toEqual(Array.from({ length: 5000 }, (_, n) => n))
})

it('does not keep what it has returned', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const queue = new Queue<object>()
  queue.push({})
  const returned = new WeakRef(queue.shift() ?? {})
  // A WeakRef keeps its target until the end of the turn in which it was made.
  await new Promise(setImmediate)
  collect()
  expect(returned.deref()).toBe(undefined)
  expect(queue.size).toBe(0)
})
