import { expect, test } from 'vitest'
import type { TapeSummary } from '../tape/inspect.ts'
import { tapeSummaryText } from './tape-summary-text.ts'

const summary: TapeSummary = {
  header: null,
  records: 0,
  kinds: {},
  cas: { entries: 0, bytes: 0 },
  sealed: true,
  torn: null,
  gaps: [],
  boundaries: null,
  mcp: [],
  children: [],
  unrecorded: [],
  damage: [],
}

test('a command reads as it was typed, and only sources that are not the real world are told', () => {
  const header = {
    type: 'header',
    version: 1,
    producer: { name: 'reprise', version: '0.1.0' },
    command: ['node', 'agent.mjs', 'two words'],
    boundaries: { clock: { mode: 'record', source: 'paused' }, random: { mode: 'record', source: 'real' } },
    modules: { 'agent.mjs': '00' },
    from_tomorrow: [1],
  }
  expect(tapeSummaryText('run.tape', { ...summary, header })).toEqual([
    'run.tape: 0 records, sealed',
    '  version      1',
    '  producer     {"name":"reprise","version":"0.1.0"}',
    '  command      node agent.mjs "two words"',
    '  sources      clock {"mode":"record","source":"paused"}',
    '  from_tomorrow [1]',
  ])
})

test('boundaries stand together by what the seal says of them', () => {
  const boundaries = { clock: 'captured', network: 'unknown', random: 'captured', process: 'passed_through' }
  expect(tapeSummaryText('run.tape', { ...summary, boundaries }).slice(1)).toEqual([
    '  captured     clock, random',
    '  unknown      network',
    '  passed through process',
  ])
})

test('a foreign header is shown with all of its fields', () => {
  const header = {
    type: 'header',
    version: 1,
    harn_version: '0.8.26',
    started_at_unix_ms: 5,
    script_path: 'a.harn',
    argv: ['x'],
  }
  expect(tapeSummaryText('run.tape', { ...summary, header, sealed: false })).toEqual([
    'run.tape: 0 records, not sealed',
    '  version      1',
    '  harn_version 0.8.26',
    '  started_at_unix_ms 5',
    '  script_path  a.harn',
    '  argv         x',
  ])
})
