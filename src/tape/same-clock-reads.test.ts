import { describe, expect, it } from 'vitest'
import { kinds } from './kinds.ts'
import { decodeRecord, encodeRecord, type TapeRecord } from './record.ts'
import { RepeatedKind } from './repeated-kind.ts'
import { SameClockReads } from './same-clock-reads.ts'

const read = (seq: number, more: Partial<TapeRecord> = {}, kind: object = {}): TapeRecord =>
  ({
    seq,
    phase: 'user_script',
    virtualTimeMs: 5,
    monotonicMs: 1,
    kind: { kind: 'clock_read', source: 'wall', valueMs: 5, api: 'Date.now', ...kind },
    ...more,
  }) as TapeRecord

/** The records as the parser of a tape returns them. */
function recorded(records: readonly TapeRecord[]): readonly RecordLine[] {
  const repeated = new RepeatedKind()
  return records.map(encodeRecord).map((text) => {
    const known = repeated.read(text)
    if (known !== null) return { record: known, text }
    const record = decodeRecord(JSON.parse(text), text)
    repeated.remember(text, record)
    return { record, text }
  })
}

function afterTheFirst(lines: readonly RecordLine[]): SameClockReads {
  const reads = new SameClockReads()
  const [first] = lines
  if (first !== undefined) reads.remember(first, read(0))
  return reads
}

type RecordLine = { readonly record: TapeRecord; readonly text: string }

describe('a clock read that repeats the one before', () => {
  const lines = recorded([read(0), read(1), read(2, { monotonicMs: 2 })])

  it('is the same without being encoded', () => {
    const reads = afterTheFirst(lines)
    expect(
      lines.slice(1).map((line, at) => reads.isSame(line, read(at + 1, at === 0 ? {} : { monotonicMs: 2 }))),
    ).toEqual([true, true])
  })

  it.each<readonly [string, TapeRecord]>([
    ['number', read(9)],
    ['phase', read(1, { phase: 'runtime_finalize' })],
    ['time', read(1, { virtualTimeMs: 6 })],
    ['duration', read(1, { monotonicMs: 2 })],
    ['count of secrets', read(1, { scrubbed: 1 })],
    ['value', read(1, {}, { valueMs: 6 })],
    ['text of the value', read(1, {}, { value: '5.5' })],
    ['source', read(1, {}, { source: 'monotonic' })],
    ['api', read(1, {}, { api: 'new Date' })],
    ['extra field', read(1, {}, { extra: { more: '1' } })],
  ])('is compared line by line if it has another %s', (_what, made) => {
    const [, second] = lines
    expect(second !== undefined && afterTheFirst(lines).isSame(second, made)).toBe(false)
  })

  it('is compared line by line if the recorded text is another one', () => {
    const [, second] = lines
    expect(second !== undefined && afterTheFirst(lines).isSame({ ...second, text: '' }, read(1))).toBe(false)
  })
})

it('a recorded read with another value is compared line by line', () => {
  const lines = recorded([read(0), read(1, {}, { valueMs: 6 })])
  const [, second] = lines
  expect(second !== undefined && afterTheFirst(lines).isSame(second, read(1))).toBe(false)
})

it('every field of a clock read is compared', () => {
  expect(Object.keys(kinds.clock_read).sort()).toEqual(['api', 'source', 'value', 'valueMs'])
})
