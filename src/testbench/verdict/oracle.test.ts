import { expect, test } from 'vitest'
import type { Finding } from '../../fidelity/index.ts'
import { newFindings } from './oracle.ts'
import type { ReplayReport } from './verdict.ts'

const report: ReplayReport = {
  verdict: 'faithful',
  divergences: [],
  unused: [],
  gaps: [],
  scrubbed_inputs: 0,
  records: 9,
  exit_code: 0,
  recorded_ms: 1,
  replay_ms: 1,
  reasons: [],
  notes: [],
  clock_reads: { extra: 0, missing: 0 },
}

const finding = (recorded: string | null, replayed: string | null, seq = 3): Finding => ({
  recorded: recorded === null ? null : { seq, kind: recorded, line: 0, summary: 'GET /a' },
  replayed: replayed === null ? null : { seq, kind: replayed, line: 0, summary: 'GET /a' },
  lastMatch: null,
  divergences: [],
})

test.each<[string, readonly Finding[], 'semantic' | 'byte_identical', number]>([
  ['another content is told', [finding('http_exchange', 'http_exchange')], 'semantic', 1],
  ['a record too few is told', [finding('http_exchange', null)], 'semantic', 1],
  ['clock reads are counted by the session', [finding('clock_read', null), finding(null, 'clock_read')], 'byte_identical', 0],
  ['a request that moved is forgiven', [finding('effect_start', null, 3), finding(null, 'effect_start', 5)], 'semantic', 0],
  ['unless every byte must be equal', [finding('effect_start', null, 3), finding(null, 'effect_start', 5)], 'byte_identical', 2],
  ['one that only moved away is not', [finding('effect_start', null, 3)], 'semantic', 1],
  ['a gap is told elsewhere', [finding('gap', null)], 'semantic', 0],
])('%s', (_what, findings, mode, count) => {
  expect(newFindings(findings, report, mode)).toHaveLength(count)
})

test('what the session has told is not told again', () => {
  const told = { ...report, unused: [{ seq: 3, kind: 'effect_start', summary: 'GET /a' }] }
  expect(newFindings([finding('effect_start', null, 3), finding('stream_end', null, 4)], told, 'semantic')).toHaveLength(1)
})
