/** What is read from the bytes of a line is what parsing the line gives, or nothing. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord, type TapeRecord } from '../../src/tape/record.ts'
import { RecordReader } from '../../src/tape/record-reader.ts'
import { anyRecord } from '../support/any-record.ts'

const LINE = encodeRecord({
  seq: 7,
  phase: 'user_script',
  virtualTimeMs: 1767225600007,
  monotonicMs: 12,
  kind: {
    kind: 'process_spawn',
    program: 'git "é"',
    args: ['status', '[{"'],
    cwd: null,
    exitCode: 0,
    durationMs: 42,
    stdoutPayload: { form: 'inline', contentHash: 'ab'.repeat(32) as never, text: ' M a\n\u{1f600}' },
    stderrPayload: { form: 'cas', contentHash: 'cd'.repeat(32) as never, lenBytes: 5000 },
    io: { a: [1.5, { b: 'c' }] },
  },
  scrubbed: 2,
})

/** Lines are read from their bytes after many lines, and a kind once it has come often. */
for (let n = 0; n < 16_400; n += 1) readBytes(LINE)

test('every form of a record that the codec writes is read as the codec reads it', () => {
  let read = 0
  fc.assert(
    fc.property(anyRecord, (record) => {
      const line = encodeRecord(withSmallIntegers(record))
      const parsed = parse(line)
      for (let n = 0; n < 16; n += 1) readBytes(line)
      for (const isKept of [true, false]) read += expectSame(readBytes(line, isKept), parsed)
    }),
    { numRuns: 2000 },
  )
  expect(read).toBeGreaterThan(1000)
})

test('a line that was changed anywhere is read as the codec reads it, or not at all', () => {
  const piece = fc.constantFrom(
    ...[
      '"',
      '\\',
      '\\u0041',
      '\\ud800',
      '\\x',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.0',
      'e1',
      ' ',
      '\t',
    ],
    ...['null', '\u0001', '\u00e9', '\r', '"a":1,', ',"later":1', ',"escapes":1', '"__proto__":{},'],
  )
  fc.assert(
    fc.property(
      fc.oneof(
        anyRecord.map((record) => encodeRecord(withSmallIntegers(record))),
        fc.constant(LINE),
      ),
      fc.nat(),
      fc.nat(6),
      piece,
      change,
    ),
    { numRuns: 4000 },
  )
  function change(line: string, place: number, removed: number, added: string): void {
    const at = place % (line.length + 1)
    // A pair of surrogates that was cut is no UTF-8.
    const changed = Buffer.from(line.slice(0, at) + added + line.slice(at + removed)).toString()
    expectSame(readBytes(changed), parse(changed))
  }
})

test.each([
  ['a fraction', '"exit_code":0', '"exit_code":0.0'],
  ['an exponent', '"duration_ms":42', '"duration_ms":42e0'],
  ['a leading zero', '"seq":7', '"seq":07'],
  ['a number beyond its range', '"exit_code":0', '"exit_code":2147483648'],
  ['a number that no double holds', '"seq":7', '"seq":9007199254740993'],
  ['a member that repeats', '"exit_code":0', '"exit_code":0,"exit_code":1'],
  ['an unknown member', ',"scrubbed"', ',"later":1,"scrubbed"'],
  ['an unknown member of the kind', '"cwd":null', '"cwd":null,"later":1'],
  ['deep nesting', '"io":{', `"io":{"d":${'['.repeat(900)}${']'.repeat(900)},`],
  ['text that is no JSON', '[1.5,', '[1.5,,'],
  ['a second value', '"scrubbed":2}', '"scrubbed":2}{}'],
  ['half a line', '"scrubbed":2}', '"scrubbed":2'],
])('%s is left to the codec', (_what, from, to) => {
  expect(readBytes(LINE)).not.toBeNull()
  expect(LINE).toContain(from)
  expect(readBytes(LINE.replace(from, to))).toBeNull()
})

test('nothing is read beyond the line', () => {
  const bytes = Buffer.from(`${LINE.slice(0, -1)}\n}\n`)
  const lengthBytes = Buffer.byteLength(LINE) - 1
  expect(new RecordReader(false).read(bytes, 0, lengthBytes, LINE.slice(0, -1))).toBeNull()
})

function readBytes(line: string, isKept = false): TapeRecord | null {
  const before = Buffer.from('é\n')
  const bytes = Buffer.concat([before, Buffer.from(`${line}\n`)])
  return new RecordReader(isKept).read(bytes, before.length, bytes.length - before.length - 1, line)
}

/** Those that the reader leaves to the codec, negative or of 16 digits, are rare on a tape. */
function withSmallIntegers<T extends object>(record: T): T {
  const small = (value: unknown): unknown => {
    if (typeof value === 'number') return Math.abs(value) % 1_000_000
    const isKind = typeof value === 'object' && value !== null && 'kind' in value
    return isKind ? withSmallIntegers(value) : value
  }
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, small(value)])) as T
}

function parse(line: string): TapeRecord | null {
  try {
    return decodeRecord(JSON.parse(line), line)
  } catch {
    return null
  }
}

/** 1 if something was read. */
function expectSame(read: TapeRecord | null, parsed: TapeRecord | null): number {
  if (read === null) return 0
  expect(read).toStrictEqual(parsed)
  // The order of members, too.
  expect(JSON.stringify(read)).toBe(JSON.stringify(parsed))
  return 1
}
