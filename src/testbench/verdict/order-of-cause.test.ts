/** Which clock reads a divergence names as its possible cause. */
import { expect, test } from 'vitest'
import type { UnmatchedRead } from '../../fidelity/clock-reads.ts'
import type { Finding } from '../../fidelity/index.ts'
import { inOrderOfCause } from './order-of-cause.ts'

/** The replay noticed it in its record 9, where the tape has record 7. */
const noticed = {
  recorded: null,
  replayed: { seq: 9, kind: 'divergence' },
  divergences: [{ seq: 7, category: 'content', message: 'other prompt', expected: 'a', actual: 'b' }],
} as unknown as Finding

function messageWith(reads: readonly UnmatchedRead[]): string | undefined {
  return inOrderOfCause([noticed], [], { unused: null, gaps: 0, reads })[0]?.message
}

const missing = (seq: number): UnmatchedRead => ({
  type: 'missing',
  seq,
  api: 'Date.now',
  frame: null,
  after: 5,
})

test('a read that the tape has after the diverged record is no cause', () => {
  expect(messageWith([missing(42)])).toBe('other prompt')
})

test('a read before it is named, and only such reads are counted', () => {
  expect(messageWith([missing(3), missing(42)])).toBe(
    'other prompt\n  before it    1 missing, 0 extra clock read(s); first: Date.now() of record 3 was not called',
  )
})
