import { expect, test } from 'vitest'
import { features } from './features.ts'

test('a number is given out once', () => {
  const numbers = Object.values<number>(features)
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
})
