import { expect, test } from 'vitest'
import { label } from '../base/index.ts'
import type { RecordKind } from '../tape/kinds.ts'
import { EffectKeys } from './effect-keys.ts'

const start = (id: number, key: string): RecordKind => ({
  kind: 'effect_start',
  id,
  boundary: label('clock'),
  key,
})
const outcome = (of: number): RecordKind => ({ kind: 'clock_sleep', durationMs: 1, of })

test('an outcome has the key of its effect, cut to what a sentence needs', () => {
  const keys = new EffectKeys()
  keys.passed(start(1, 'setTimeout 5'))
  keys.passed(outcome(1))
  keys.passed(start(2, 'x'.repeat(1000)))
  expect(keys.effectOf(outcome(1))).toBe('setTimeout 5')
  expect(keys.effectOf(outcome(2))?.length).toBeLessThan(200)
  expect(keys.effectOf(outcome(3))).toBeUndefined()
  expect(keys.effectOf(start(1, 'setTimeout 5'))).toBeUndefined()
})

test('the oldest effects are forgotten', () => {
  const keys = new EffectKeys()
  for (let id = 0; id <= 10_000; id += 1) keys.passed(start(id, `key ${id}`))
  expect([keys.effectOf(outcome(0)), keys.effectOf(outcome(1))]).toEqual([undefined, 'key 1'])
})
