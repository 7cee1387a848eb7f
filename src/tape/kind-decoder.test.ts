/** A kind is read by a loop at first and by a function of its own later: what is read is the same. */
import { expect, test } from 'vitest'
import { createKindDecoder, createLoopDecoder } from './kind-decoder.ts'
import { kinds } from './kinds.ts'
import { recordFromText } from './parser.ts'
import type { Fields } from './upstream-kinds.ts'

const LINE = `{"type":"record","seq":7,"phase":"user_script","virtual_time_ms":1,"monotonic_ms":2,"kind":${JSON.stringify(
  {
    kind: 'http_exchange',
    id: 3,
    method: 'GET',
    url: 'http://a.example/',
    request_headers: [['accept', '*/*']],
    status: null,
    response_headers: [],
    error: { message: 'gone' },
    later: 1,
  },
)}}`

test('the hundredth record of a kind is read as the first, with its members in the same order', () => {
  const first = JSON.stringify(recordFromText(LINE))
  expect(first).toContain('"extra":{"later":"1"}')
  for (let n = 0; n < 100; n += 1) expect(JSON.stringify(recordFromText(LINE))).toBe(first)
})

test('a member of the wrong type is refused, the first time and the hundredth', () => {
  const wrong = '{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"timer_fire"}}'
  for (let n = 0; n < 100; n += 1) expect(recordFromText(wrong)).toBeNull()
})

/** A value that the field takes, of those that the table uses. */
const SAMPLES: readonly unknown[] = [0, '', true, null, [], {}, 'user_script', { hash: '0', size: 0 }]

test.each(Object.entries<Fields>(kinds))('%s: loop and compiled function agree', (kind, fields) => {
  const value: Record<string, unknown> = { kind, unknown_member: 1 }
  for (const { wire, decode } of Object.values(fields)) {
    const sample = SAMPLES.find((each) => isTaken(decode, each))
    if (sample !== undefined) value[wire] = sample
  }
  const read = (make: typeof createLoopDecoder): string => {
    try {
      return JSON.stringify(make(kind, fields)(value, () => ({ unknown_member: '1' })))
    } catch (error) {
      return String(error)
    }
  }
  expect(read(createLoopDecoder)).toBe(read(createKindDecoder))
})

function isTaken(decode: (value: unknown) => unknown, value: unknown): boolean {
  try {
    decode(value)
    return value !== null
  } catch {
    return false
  }
}
