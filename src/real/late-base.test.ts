import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { lateBase } from './late-base.ts'

test('what extends a late base is an object of the base, which is loaded by the first', () => {
  let loads = 0
  class Numbers extends lateBase(() => {
    loads += 1
    return Readable
  }) {
    readonly #last: number
    constructor(last: number) {
      super({ objectMode: true })
      this.#last = last
    }
    override _read(): void {
      for (let number = 1; number <= this.#last; number += 1) this.push(number)
      this.push(null)
    }
  }
  expect(loads).toBe(0)
  const numbers = new Numbers(2)
  expect(loads).toBe(1)
  expect([
    numbers instanceof Readable,
    numbers instanceof Numbers,
    numbers.constructor.name,
    numbers.readableObjectMode,
  ]).toEqual([true, true, 'Numbers', true])
  expect(numbers.read()).toBe(1)
})
