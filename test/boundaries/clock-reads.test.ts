/** Clock reads: what a recorded program saw, a replayed one sees, from every place that tells the time. */
import { performance as imported } from 'node:perf_hooks'
import { types } from 'node:util'
import { expect, test } from 'vitest'
import { clockPatches } from '../../src/boundaries/clock/index.ts'
import { names, recordAndReplay } from '../support/fake-session.ts'

const run = <T>(program: () => T | Promise<T>) => recordAndReplay(clockPatches(), program)

const reads: readonly (readonly [name: string, read: () => unknown, crossing: string])[] = [
  ['Date.now()', () => Date.now(), 'clock Date.now'],
  ['new Date()', () => new Date().toISOString(), 'clock Date'],
  ['Date()', () => Date(), 'clock Date'],
  ['Reflect.construct(Date, [])', () => Reflect.construct(Date, []).getTime(), 'clock Date'],
  ['new (class extends Date {})()', () => new (class Later extends Date {})().getTime(), 'clock Date'],
  ['performance.now()', () => performance.now(), 'clock performance.now'],
  ['now() of perf_hooks', () => imported.now(), 'clock performance.now'],
  ['performance.timeOrigin', () => performance.timeOrigin, 'clock performance.timeOrigin'],
  ['performance.mark()', () => performance.mark('a').startTime, 'clock performance.now'],
  ['performance.measure()', () => performance.measure('b').duration, 'clock performance.now'],
  [
    'performance.measure with options',
    () => performance.measure('b', { start: 1, detail: 'x' }).duration,
    'clock performance.now',
  ],
  ['process.hrtime()', () => process.hrtime(), 'clock process.hrtime'],
  ['process.hrtime(since)', () => process.hrtime([1, 999_999_999]), 'clock process.hrtime'],
  ['process.hrtime.bigint()', () => process.hrtime.bigint(), 'clock process.hrtime.bigint'],
  ['process.uptime()', () => process.uptime(), 'clock process.uptime'],
  [
    'Intl format()',
    () => new Intl.DateTimeFormat('en', { timeStyle: 'full' }).format(),
    'clock Intl.DateTimeFormat',
  ],
  [
    'Intl formatToParts()',
    () => new Intl.DateTimeFormat('en', { fractionalSecondDigits: 3 }).formatToParts(),
    'clock Intl.DateTimeFormat',
  ],
]

test.each(reads)('%s crosses once and is replayed', async (_name, read, crossing) => {
  const { recorded, replayed, crossings, left } = await run(() => [read(), read()])
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual([crossing, crossing])
  expect(left).toEqual([])
})

test('Temporal.Now crosses once per call, where there is one', async () => {
  const now: unknown = Reflect.get(Reflect.get(globalThis, 'Temporal') ?? {}, 'Now')
  if (typeof now !== 'object' || now === null) {
    expect(clockPatches().filter(({ property }) => property === 'instant')).toEqual([])
    return
  }
  const call = (name: string, ...args: unknown[]): string =>
    String(Reflect.apply(Reflect.get(now, name), now, args))
  const { recorded, replayed, crossings, left } = await run(() => [
    call('instant'),
    call('zonedDateTimeISO', 'Asia/Tokyo'),
    call('plainDateTimeISO'),
    call('plainDateISO', 'UTC'),
    call('plainTimeISO'),
  ])
  expect(replayed).toEqual(recorded)
  expect(recorded[1]).toMatch(/\+09:00\[Asia\/Tokyo\]$/)
  expect(names(crossings)).toEqual(
    ['instant', 'zonedDateTimeISO', 'plainDateTimeISO', 'plainDateISO', 'plainTimeISO'].map(
      (name) => `clock Temporal.Now.${name}`,
    ),
  )
  expect(left).toEqual([])
})

test('a replay gives the recorded time, not the present one', async () => {
  const { recorded, replayed } = await run(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return [Date.now(), performance.now(), process.hrtime.bigint()]
  })
  expect(replayed).toEqual(recorded)
})

test('marks and measures whose times are given do not cross', async () => {
  const { recorded, crossings } = await run(() => [
    performance.mark('m', { startTime: 5, detail: 'kept' }).detail,
    performance.measure('n', { start: 1, end: 4 }).duration,
    performance.measure('n', { start: 1, duration: 2 }).duration,
    performance.measure('n', 'm', 'm').startTime,
  ])
  expect(recorded).toEqual(['kept', 3, 2, 5])
  expect(crossings).toEqual([])
})

test('a measure from a mark ends now', async () => {
  const { recorded, replayed, crossings } = await run(() => {
    performance.mark('from', { startTime: 5 })
    const { startTime, duration } = performance.measure('o', 'from')
    return [startTime, duration]
  })
  expect(recorded[0]).toBe(5)
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual(['clock performance.now'])
})

test('a date that is given is not a read', async () => {
  const { recorded, crossings } = await run(() => [
    new Date(0).toISOString(),
    new Date(2026, 0).getFullYear(),
    Date.UTC(2026, 0),
    Date.parse('2026-01-01T00:00:00Z'),
    new Date(undefined as never).getTime(),
    new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(0),
    structuredClone(new Date(5)).getTime(),
    types.isDate(new Date(5)),
  ])
  expect(recorded).toEqual([
    '1970-01-01T00:00:00.000Z',
    2026,
    1767225600000,
    1767225600000,
    Number.NaN,
    '1/1/1970',
    5,
    true,
  ])
  expect(crossings).toEqual([])
})

test('console.time prints what was recorded', async () => {
  const lines: string[] = []
  const { log } = console
  const { left, crossings } = await run(() => {
    console.log = (...words: unknown[]) => void lines.push(words.join(' '))
    try {
      console.time('work')
      console.timeEnd('work')
    } finally {
      console.log = log
    }
  })
  expect(names(crossings)).toEqual(['clock process.hrtime', 'clock process.hrtime'])
  expect(lines[0]).toBe(lines[1])
  expect(left).toEqual([])
})
