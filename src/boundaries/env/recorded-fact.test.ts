import { expect, test } from 'vitest'
import { factValue } from './recorded-fact.ts'

test('a fact is read from its text', () => {
  expect(factValue('os.cpus', '[{"model":"a"}]')).toEqual([{ model: 'a' }])
})

test.each(['', '{"a":', 'undefined', `${'['.repeat(100_000)}${']'.repeat(100_000)}`])(
  'text that is no JSON is a typed error: %.20s',
  (text) => {
    expect(() => factValue('os.cpus', text)).toThrow(
      expect.objectContaining({
        code: 'tape-record-invalid',
        message: 'the recorded value of os.cpus is not JSON',
      }),
    )
  },
)
