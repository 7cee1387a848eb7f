import { expect, test } from 'vitest'
import { label } from '../../base/index.ts'
import { RecordedFacts } from './recorded-facts.ts'

const ENV = label('process.env')
const read = (name: string, value: string | null, api = ENV) =>
  ({ kind: 'env_read', name, value, api }) as const

test('each read has its value, and one more repeats the last', () => {
  const facts = new RecordedFacts()
  facts.add(read('A', 'one'), 0)
  facts.add(read('A', 'two'), 1)
  expect([1, 2, 3].map(() => facts.next('process.env', 'A'))).toEqual([
    { value: 'one', scrubbed: 0, extra: false },
    { value: 'two', scrubbed: 1, extra: false },
    { value: 'two', scrubbed: 1, extra: true },
  ])
})

test('a name that was never read is not known', () => {
  const facts = new RecordedFacts()
  facts.add(read('A', null), 0)
  expect(facts.next('process.env', 'A')).toMatchObject({ value: null })
  expect(facts.next('process.env', 'B')).toBeUndefined()
  expect([facts.has('process.env', 'A'), facts.has('process.env', 'B')]).toEqual([true, false])
})

test('a read of all variables is a read of each, also of one that is not set', () => {
  const facts = new RecordedFacts()
  facts.add(read('*', '{"A":"one","__proto__":"two"}'), 2)
  expect(facts.next('process.env', 'A')).toEqual({ value: 'one', scrubbed: 2, extra: true })
  expect(facts.next('process.env', 'toString')).toEqual({ value: null, scrubbed: 0, extra: true })
  expect(facts.next('os.hostname', 'os.hostname')).toBeUndefined()
  expect(facts.has('process.env', 'B')).toBe(true)
})
