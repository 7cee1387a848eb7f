import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRecord } from '../../test/support/any-record.ts'
import type { RecordKind } from './kinds.ts'
import { decodeRecord, encodeRecord, type TapeRecord } from './record.ts'
import { isSameRecord } from './same-record.ts'

const EVENT = 'data: {"a":1}\n\n'
const chunk = (more: object = {}): RecordKind =>
  ({
    kind: 'stream_chunk',
    of: 1,
    n: 2,
    direction: 'in',
    data: { form: 'text', text: 'word' },
    ...more,
  }) as RecordKind
const record = (kind: RecordKind, more: Partial<TapeRecord> = {}): TapeRecord => ({
  seq: 7,
  phase: 'user_script',
  virtualTimeMs: 5,
  monotonicMs: 1,
  kind,
  ...more,
})
const start = (request: unknown): TapeRecord =>
  record({ kind: 'effect_start', id: 1, boundary: 'network', key: 'GET', request } as unknown as RecordKind)

test('a record and what is read from its line are the same', () => {
  const made = start({ base: 3, keep: 2, append: [{ role: 'user', content: ['a', 1, null, true] }] })
  const line = encodeRecord(made)
  expect(isSameRecord(decodeRecord(JSON.parse(line), line), made)).toBe(true)
})

test.each<readonly [string, TapeRecord, TapeRecord]>([
  ['number', record(chunk()), record(chunk(), { seq: 8 })],
  ['phase', record(chunk()), record(chunk(), { phase: 'runtime_finalize' })],
  ['time', record(chunk()), record(chunk(), { virtualTimeMs: 6 })],
  ['time of the run', record(chunk()), record(chunk(), { monotonicMs: 2 })],
  ['number of secrets', record(chunk()), record(chunk(), { scrubbed: 1 })],
  ['text', record(chunk()), record(chunk({ data: { form: 'text', text: 'other' } }))],
  [
    'form',
    record(chunk({ data: { form: 'text', text: EVENT } })),
    record(chunk({ data: { form: 'text', text: EVENT, asEvents: true } })),
  ],
  ['member that one has', record(chunk()), record(chunk({ turn: 'same' }))],
  [
    'member in place of an undefined one',
    record(chunk({ parts: undefined })),
    record(chunk({ turn: 'same' })),
  ],
  ['member that the other has', record(chunk({ parts: [2, 2] })), record(chunk())],
  ['length in a list', record(chunk({ parts: [2, 2] })), record(chunk({ parts: [1, 3] }))],
  ['unknown field', record(chunk({ extra: { a: '1' } })), record(chunk({ extra: { a: '2' } }))],
  ['order of members', start({ a: 1, b: 2 }), start({ b: 2, a: 1 })],
  ['list', start({ a: [] }), start({ a: {} })],
  ['object', start({ a: {} }), start({ a: [] })],
  ['null', start({ a: null }), start({ a: {} })],
  ['length', start([1]), start([1, 2])],
])('another %s is another record', (_, a, b) => {
  expect(isSameRecord(a, b)).toBe(false)
  expect(encodeRecord(a)).not.toBe(encodeRecord(b))
})

test('the same records have the same line', () => {
  const copy = (made: TapeRecord): TapeRecord => {
    const line = encodeRecord(made)
    return decodeRecord(JSON.parse(line), line)
  }
  fc.assert(
    fc.property(anyRecord, anyRecord, (a, b) => {
      for (const other of [copy(a), b, { ...a, kind: b.kind }])
        if (isSameRecord(a, other)) expect(encodeRecord(other)).toBe(encodeRecord(a))
    }),
  )
})
