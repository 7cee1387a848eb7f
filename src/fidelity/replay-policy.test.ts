import { expect, test } from 'vitest'
import type { Finding } from './divergence.ts'
import { applyReplayPolicy, type ReplayTolerance, replayPolicy } from './replay-policy.ts'
import type { FidelityReport } from './report.ts'

const finding = (recorded: string | null, replayed: string | null, seq = 3, category?: string): Finding => ({
  recorded: recorded === null ? null : { seq, kind: recorded, line: 0, summary: 'GET /a' },
  replayed: replayed === null ? null : { seq, kind: replayed, line: 0, summary: 'GET /a' },
  lastMatch: null,
  divergences:
    category === undefined
      ? []
      : [
          {
            seq,
            category,
            code: 'field',
            path: null,
            expected: null,
            actual: null,
            payload: null,
            message: category,
          },
        ],
})

const compared = (findings: readonly Finding[], mode: 'semantic' | 'byte_identical'): FidelityReport => ({
  verdict: 'diverged',
  mode,
  align: 'lcs',
  recordedRecords: 9,
  replayRecords: 9,
  divergences: findings.flatMap(({ divergences }) => divergences),
  divergenceCount: findings.length,
  findings,
  findingCount: findings.length,
  score: 0,
  categories: {},
  gaps: { recorded: 0, replayed: 0 },
  warnings: [],
})

const moved = [finding('effect_start', null, 3), finding(null, 'effect_start', 5)]
const headers = [finding('http_exchange', 'http_exchange', 3, 'http_exchange_request_headers')]

test.each<[string, readonly Finding[], 'semantic' | 'byte_identical', number]>([
  ['another content counts', [finding('http_exchange', 'http_exchange')], 'semantic', 1],
  ['a record too few counts', [finding('http_exchange', null)], 'semantic', 1],
  [
    'clock reads are counted by the session',
    [finding('clock_read', null), finding(null, 'clock_read')],
    'byte_identical',
    0,
  ],
  [
    'a clock read with another value counts',
    [finding('clock_read', 'clock_read', 3, 'clock_read_value')],
    'semantic',
    1,
  ],
  ['a variable that is read once more is tolerated', [finding(null, 'env_read')], 'semantic', 0],
  ['unless every byte must be equal', [finding(null, 'env_read')], 'byte_identical', 1],
  ['a request that moved is tolerated', moved, 'semantic', 0],
  ['unless every byte must be equal', moved, 'byte_identical', 2],
  ['one that only moved away counts', [finding('effect_start', null, 3)], 'semantic', 1],
  ['a gap has its own place in the verdict', [finding('gap', null)], 'semantic', 0],
  ['request headers are tolerated', headers, 'semantic', 0],
  ['unless every byte must be equal', headers, 'byte_identical', 1],
])('%s', (_what, findings, mode, count) => {
  expect(applyReplayPolicy(compared(findings, mode)).findings).toHaveLength(count)
})

test('on a tape that counts the order, a moved call is one finding that names both places', () => {
  const call = (seq: number): Finding['recorded'] => ({
    seq,
    kind: 'file_read',
    line: 0,
    summary: 'file_read "a"',
    key: 'readFile a',
  })
  const missing = { ...finding('file_read', null), recorded: call(3) }
  const extra = { ...finding(null, 'file_read'), replayed: call(7), lastMatch: call(6) }
  const report = applyReplayPolicy({ ...compared([missing, extra], 'semantic'), isOrdered: true })
  expect(report.findings).toMatchObject([
    {
      recorded: { seq: 3 },
      replayed: { seq: 7 },
      divergences: [
        { category: 'out_of_order', expected: 'first', actual: 'after record 6 (file_read "a")' },
      ],
    },
  ])
  expect(report).toMatchObject({ findingCount: 1, categories: { out_of_order: 1 } })
})

test('a call that moved forward is found before the outcomes that came with it', () => {
  const call = (seq: number): Finding['recorded'] => ({
    seq,
    kind: 'effect_start',
    line: 0,
    summary: 'effect_start clock setTimeout 1',
    key: 'setTimeout 1',
  })
  const extra = { ...finding(null, 'effect_start'), replayed: call(3) }
  const outcome = finding(null, 'clock_sleep', 4, 'missing_in_recorded')
  const missing = { ...finding('effect_start', null), recorded: call(5) }
  const findings = [extra, outcome, missing]
  const report = applyReplayPolicy({ ...compared(findings, 'semantic'), isOrdered: true })
  expect(report.divergences.map(({ category }) => category)).toEqual(['out_of_order', 'missing_in_recorded'])
})

test('request headers that match.headers names count', () => {
  expect(applyReplayPolicy(compared(headers, 'semantic'), ['x-tenant']).findings).toHaveLength(1)
})

test('each row has a name of its own and a reason', () => {
  const rows: readonly ReplayTolerance[] = replayPolicy
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  for (const { reason } of rows) expect(reason).not.toBe('')
})
