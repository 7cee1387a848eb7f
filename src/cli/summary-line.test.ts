import { expect, test } from 'vitest'
import { summaryLine } from './summary-line.ts'

const SUMMARY = { tape: 'run.tape', records: 6, modelCalls: 0, children: 0, gaps: [], sealed: true }

test.each([
  [{}, '6 records, 0 model calls, 0 children, no gaps'],
  [
    { terminals: 1 },
    '6 records, 0 model calls, 0 children, 1 terminal, no gaps; model calls of children are not on it',
  ],
  [{ terminals: 2, modelCalls: 1 }, '6 records, 1 model call, 0 children, 2 terminals, no gaps'],
])('%j', (facts, expected) => {
  const line = summaryLine('run.tape', { ...SUMMARY, ...facts }, false)
  expect(line).toBe(`recorded run.tape: ${expected}; replay it: reprise replay run.tape`)
})
