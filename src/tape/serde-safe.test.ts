import { describe, expect, test } from 'vitest'
import { serdeProblem } from '../../test/support/serde-rules.ts'
import { serdeSafe, withoutEscapes } from './serde-safe.ts'

const record = (kind: string): string =>
  `{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":${kind}}`
const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1.50${'}]'.repeat(levels / 2)}`

describe('a line that serde_json refuses', () => {
  test.each([
    ['half a pair', record('{"kind":"gap","reason":"cut \\ud83d"}')],
    ['the other half, in a key', record('{"kind":"x","json":{"\\ude00":"\\\\ud83d"}}')],
    ['beside the mark', record('{"kind":"x","text":"\ufdd0d83d \\uD83D \\ud83d\\ude00"}')],
    ['nested too deep', record(`{"kind":"x","json":${nested(160)}}`)],
    [
      'deep, with halves inside',
      record(`{"kind":"x","json":${nested(140).replace('1.50', '"\\ud83d\ufdd0json"')}}`),
    ],
    ['half a pair in the header', '{"type":"header","version":1,"harn_version":"x","argv":["\\ud83d"]}'],
  ])('%s is written so that it is accepted, and comes back', (_name, line) => {
    expect(serdeProblem(line)).not.toBeNull()
    const safe = serdeSafe(line)
    expect(serdeProblem(safe)).toBeNull()
    expect(safe.endsWith(',"escapes":1}')).toBe(true)
    expect(withoutEscapes(safe).replace(',"escapes":1', '')).toBe(line)
  })
})

test.each([
  record('{"kind":"gap","reason":"\ufdd0json{} \\ud83d\\ude00 \\\\ud83d"}'),
  record(`{"kind":"x","json":${nested(110)}}`),
  record(`{"kind":"x","json":[${'[],'.repeat(200)}"{{{{["]}`),
])('a line that is accepted stays as it is', (line) => {
  expect(serdeProblem(line)).toBeNull()
  expect(serdeSafe(line)).toBe(line)
})

test.each([
  [record('{"kind":"clock_sleep","duration_ms":1.0}'), 'duration_ms is not u64'],
  [record('{"kind":"clock_sleep","duration_ms":-1}'), 'duration_ms is not u64'],
  [record('{"kind":"file_read","path":"x","content_hash":"h"}'), 'len_bytes is missing'],
  [
    record('{"kind":"llm_call","request_digest":"x","response":{"content_hash":"h"}}'),
    'response is not payload',
  ],
  [
    record('{"kind":"clock_sleep","duration_ms":1}').replace('"seq":0', '"seq":18446744073709551616'),
    'seq is not u64',
  ],
  ['{"type":"header","harn_version":"x"}', 'version is missing'],
])('the rules of the tests refuse %s', (line, problem) => {
  expect(serdeProblem(line)).toBe(problem)
})
