import { expect, test } from 'vitest'
import { label } from '../base/index.ts'
import type { RecordKind } from '../tape/kinds.ts'
import type { Entry } from './comparable.ts'
import { MovedReads } from './moved-reads.ts'

const read = (seq: number, kind: RecordKind): { entry: Entry; lastMatch: null } => ({
  entry: {
    record: { seq, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, kind },
    text: '',
    line: 0,
  },
  lastMatch: null,
})
const now = (seq: number) =>
  read(seq, { kind: 'clock_read', source: 'wall', valueMs: seq, api: label('Date.now') })
const later = (seq: number) =>
  read(seq, { kind: 'clock_read', source: 'monotonic', valueMs: seq, api: label('performance.now') })

test('a read too few and one too many of the same function are one that moved', () => {
  const moved = new MovedReads()
  expect(moved.take('recorded', now(1))).toBe(null)
  expect(moved.take('replayed', later(2))).toBe(null)
  expect(moved.take('replayed', now(3))).toMatchObject({
    recorded: { entry: { record: { seq: 1 } } },
    replayed: { entry: { record: { seq: 3 } } },
  })
})

test('reads that only one run makes are no pair, however many', () => {
  const moved = new MovedReads()
  for (let seq = 0; seq < 20_000; seq += 1) expect(moved.take('replayed', now(seq))).toBe(null)
})

test('other records are no reads', () => {
  const moved = new MovedReads()
  const gap: RecordKind = { kind: 'gap', boundary: label('network'), reason: label('x') }
  expect([moved.take('recorded', read(1, gap)), moved.take('replayed', read(2, gap))]).toEqual([null, null])
})
