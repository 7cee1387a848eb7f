import { expect, test } from 'vitest'
import { headerOf } from './header-list.ts'

test('headerOf returns the first value of a name in any case', () => {
  const headers = [
    ['X-A', '1'],
    ['Content-Type', 'text/plain'],
    ['content-type', 'text/html'],
  ] as const
  expect([headerOf(headers, 'content-type'), headerOf(headers, 'x-a'), headerOf(headers, 'x')]).toEqual([
    'text/plain',
    '1',
    undefined,
  ])
})
