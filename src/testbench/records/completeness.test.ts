import { expect, test } from 'vitest'
import { completenessOf, unknownBoundaries } from './completeness.ts'

const installed = { clock: 'captured', network: 'captured', filesystem: 'passed_through' } as const
const none = { unknown: new Set<string>(), denied: new Set<string>() }

test('without anything odd the table says what was installed', () => {
  expect(completenessOf(installed, none)).toEqual(installed)
})

test('a boundary that refused something is denied, one that something crossed unseen is unknown, and unknown weighs more', () => {
  const seen = { unknown: new Set(['worker', 'network']), denied: new Set(['network']) }
  expect(completenessOf(installed, seen)).toEqual({ ...installed, network: 'unknown', worker: 'unknown' })
  expect(completenessOf(installed, { ...none, denied: new Set(['network']) })).toEqual({
    ...installed,
    network: 'denied',
  })
})

test('a seal tells its unknown boundaries; one of another shape has none', () => {
  expect(unknownBoundaries({ clock: 'captured', worker: 'unknown', process: 'unknown' })).toEqual([
    'worker',
    'process',
  ])
  expect(unknownBoundaries(null)).toEqual([])
  expect(unknownBoundaries(['unknown'])).toEqual([])
})

test('what crossed a carrier of MCP unseen may have been a message', () => {
  const carriers = { network: 'captured', process: 'captured', mcp: 'captured' } as const
  expect(completenessOf(carriers, none)).toEqual(carriers)
  expect(completenessOf(carriers, { ...none, unknown: new Set(['process']) })).toEqual({
    network: 'captured',
    process: 'unknown',
    mcp: 'unknown',
  })
})
