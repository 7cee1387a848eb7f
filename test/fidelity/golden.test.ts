/**
 * Whole reports of one pair of Harn's tapes, for each mode and alignment, as files. By position they are what
 * Harn reports, and then our own keys.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  alignments,
  compare,
  fidelityModes,
  formatReport,
  judge,
  reportFormats,
  tapeFile,
} from '../../src/fidelity/index.ts'
import { needGolden } from './need-golden.ts'

const fixture = (name: string): string =>
  new URL(`../fixtures/fidelity/${name}.tape`, import.meta.url).pathname

function report(
  mode: (typeof fidelityModes)[number],
  align: (typeof alignments)[number],
  format: (typeof reportFormats)[number],
): string {
  const result = compare(tapeFile(fixture('recorded')), tapeFile(fixture('replay')), mode, { align })
  return formatReport(format, {
    report: result,
    judgement: judge(result),
    recordedName: 'recorded.tape',
    replayName: 'replay.tape',
  })
}

describe.each(fidelityModes.flatMap((mode) => alignments.map((align) => [mode, align] as const)))(
  '%s, %s',
  (mode, align) => {
    test('as JSON', () => {
      expect(report(mode, align, 'json')).toBe(
        needGolden(`${mode}-${align}.json`, report(mode, align, 'json')),
      )
    })
  },
)

test.each(reportFormats.filter((format) => format !== 'json'))('as %s', (format) => {
  expect(report('semantic', 'lcs', format)).toBe(
    needGolden(`semantic-lcs.${format}.txt`, report('semantic', 'lcs', format)),
  )
})

/** What Harn's own oracle says about this pair, written down from its rules, key by key. */
test("by position, upstream's part of the report is upstream's report", () => {
  const ours = JSON.parse(report('byte_identical', 'position', 'json'))
  expect(Object.keys(ours).slice(0, 5)).toEqual([
    'mode',
    'recorded_records',
    'replay_records',
    'divergences',
    'score',
  ])
  expect(ours.divergences.slice(0, 3)).toEqual([
    {
      seq: 1,
      category: 'kind_mismatch',
      message: 'record kind diverged: recorded=clock_read replay=llm_call',
    },
    {
      seq: 2,
      category: 'kind_mismatch',
      message: 'record kind diverged: recorded=llm_call replay=clock_sleep',
    },
    {
      seq: 3,
      category: 'kind_mismatch',
      message: 'record kind diverged: recorded=clock_sleep replay=clock_read',
    },
  ])
  const lines = readFileSync(new URL('golden/byte_identical-position.json', import.meta.url), 'utf8').split(
    '\n',
  )
  expect(lines.slice(0, 5)).toEqual([
    '{',
    '  "mode": "byte_identical",',
    '  "recorded_records": 11,',
    '  "replay_records": 11,',
    '  "divergences": [',
  ])
  expect(lines).toContain(`  "score": ${ours.score === 0 ? '0.0' : ours.score},`)
})
