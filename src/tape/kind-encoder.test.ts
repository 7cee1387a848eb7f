import { expect, test } from 'vitest'
import { encodeRecord, type TapeRecord } from './record.ts'

/** A kind is written by a loop at first and by a function of its own later: what is written is the same. */
test('the hundredth record of a kind reads as the first', () => {
  const record: TapeRecord = {
    seq: 7,
    phase: 'user_script',
    virtualTimeMs: 1,
    monotonicMs: 2,
    kind: {
      kind: 'http_exchange',
      id: 3,
      method: 'GET',
      url: 'http://a.example/"?q=\u2028',
      requestHeaders: [['accept', '*/*']],
      status: null,
      responseHeaders: [],
      error: { message: 'gone' },
      extra: { later: '1.0' },
    },
  }
  const first = encodeRecord(record)
  for (let n = 0; n < 100; n += 1) expect(encodeRecord(record)).toBe(first)
  expect(first).toContain('"response_headers":[],"error":{"message":"gone"},"later":1.0}')
})

test('a record without a member that it needs is refused, the first time and the hundredth', () => {
  const wrong = {
    seq: 0,
    phase: 'user_script',
    virtualTimeMs: 0,
    monotonicMs: 0,
    kind: JSON.parse('{"kind":"timer_fire"}'),
  } as TapeRecord
  for (let n = 0; n < 100; n += 1) expect(() => encodeRecord(wrong)).toThrow('timer_fire needs id')
})
