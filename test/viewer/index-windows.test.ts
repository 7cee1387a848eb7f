/**
 * The index against a naive scan of the same tape: windows, positions, buckets and search must select exactly
 * the same rows.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTapeEvents } from '../../src/tape/reader.ts'
import { encodeRecord } from '../../src/tape/record.ts'
import { LANES, type Row, type RowFilter } from '../../src/viewer/protocol.ts'
import { anyRecord } from '../support/any-record.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openTapeView } from './indexed-tape.ts'

const HEADER =
  '{"type":"header","version":1,"harn_version":"reprise/0.1.0","started_at_unix_ms":null,"script_path":null,"argv":[],"producer":{"name":"reprise","version":"0.0.9"}}'

/** A tape line: a record in most cases, sometimes damage or a blank line. */
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: anyRecord.map((record) => encodeRecord({ ...record, kind: unsealed(record.kind) })),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"type":"record"', 'not json', '{"type":"record","seq":1}', '') },
)

function unsealed<T extends { readonly kind: string }>(kind: T): T {
  return kind.kind === 'tape_seal'
    ? { ...kind, kind: 'unknown', name: 'seal_of_another', json: '{"kind":"seal_of_another"}' }
    : kind
}

/** Repeats what was generated, so that a tape spans several blocks of 256 rows. */
const lines = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 70 }))
  .map(([some, times]) => Array.from({ length: times }, () => some).flat())

type Scanned = {
  readonly row: number
  readonly seq: number | null
  readonly kind: string
  readonly phase: string
  readonly atMs: number
  readonly text: string
}

function scan(path: string): Scanned[] {
  const rows: Scanned[] = []
  let atMs = Number.NEGATIVE_INFINITY
  for (const event of readTapeEvents(path)) {
    if (event.type === 'header') continue
    if (event.type === 'record') atMs = Math.max(atMs, event.record.monotonicMs)
    else if (atMs === Number.NEGATIVE_INFINITY) atMs = 0
    const base = { row: rows.length, atMs }
    if (event.type !== 'record')
      rows.push({
        ...base,
        seq: null,
        kind: event.type,
        phase: 'user_script',
        text: (event.type === 'damage' && event.text) || '',
      })
    else {
      const { record, text } = event
      const kind = record.kind.kind === 'unknown' ? record.kind.name : record.kind.kind
      rows.push({
        ...base,
        seq: record.seq < 0xffffffff ? record.seq : null,
        kind,
        phase: record.phase,
        text,
      })
    }
  }
  return rows
}

const filter: fc.Arbitrary<RowFilter> = fc.record(
  {
    kinds: fc.subarray(['clock_read', 'llm_call', 'stream_chunk', 'gap', 'damage', 'file_write', 'nothing'], {
      minLength: 1,
    }),
    phase: fc.constantFrom('user_script' as const, 'runtime_finalize' as const),
    fromMs: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -5, max: 5 })),
    toMs: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -5, max: 5 })),
    fromRow: fc.nat({ max: 900 }),
    toRow: fc.nat({ max: 900 }),
  },
  { requiredKeys: [] },
)

function fits(row: Scanned, { kinds, phase, fromMs, toMs, fromRow, toRow }: RowFilter): boolean {
  return (
    (kinds === undefined || kinds.includes(row.kind)) &&
    (phase === undefined || row.phase === phase) &&
    (fromMs === undefined || row.atMs >= fromMs) &&
    (toMs === undefined || row.atMs <= toMs) &&
    (fromRow === undefined || row.row >= fromRow) &&
    (toRow === undefined || row.row < toRow)
  )
}

async function tapeOf(content: readonly string[]) {
  const folder = join(tempFolder(), 'run')
  mkdirSync(folder)
  const path = join(folder, 'run.tape')
  writeFileSync(path, `${[HEADER, ...content].join('\n')}\n`)
  return { path, scanned: scan(path), ...(await openTapeView(path)) }
}

const RUNS = { numRuns: 25 }

test('windows of any filter hold the rows that a scan selects, at the same positions', async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      filter,
      fc.nat({ max: 900 }),
      fc.integer({ min: 1, max: 200 }),
      async (content, given, from, count) => {
        const { view, scanned } = await tapeOf(content)
        const expected = scanned.filter((row) => fits(row, given))
        const window = await view.rows({ filter: given, from, count })
        expect(window.total).toBe(expected.length)
        expect(window.rows.map(facts)).toEqual(expected.slice(from, from + count).map(facts))
        for (const row of [0, 1, from, scanned.length - 1].filter(
          (each) => each >= 0 && each < scanned.length,
        )) {
          const before = expected.filter((each) => each.row < row).length
          expect(await view.position({ filter: given, row })).toEqual({
            position: before,
            matches: expected.some((each) => each.row === row),
          })
        }
      },
    ),
    RUNS,
  )
})

function facts({
  row,
  seq,
  kind,
  phase,
  atMs,
}: Pick<Row, 'row' | 'seq' | 'kind' | 'phase' | 'atMs'> | Scanned) {
  return { row, seq, kind, phase, atMs }
}

test('lanes partition the rows, and a lane filter selects exactly its rows', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (content) => {
      const { view, scanned } = await tapeOf(content)
      const seen: number[] = []
      for (const lane of LANES) {
        const window = await view.rows({ filter: { lanes: [lane] }, from: 0, count: 200 })
        expect(window.rows.every((row) => row.lane === lane)).toBe(true)
        seen.push(window.total)
      }
      expect(seen.reduce((sum, each) => sum + each, 0)).toBe(scanned.length)
    }),
    RUNS,
  )
})

test('buckets count every row of their range once', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (content, count) => {
      const { view, scanned } = await tapeOf(content)
      const buckets = await view.buckets({ axis: 'record', from: 0, to: scanned.length, count })
      expect(buckets.exact).toBe(true)
      expect(buckets.lanes.flat().reduce((sum, each) => sum + each, 0)).toBe(scanned.length)
      for (const [at, first] of buckets.firstRows.slice(0, -1).entries()) {
        const next = buckets.firstRows[at + 1] ?? 0
        expect(buckets.lanes.reduce((sum, lane) => sum + (lane[at] ?? 0), 0)).toBe(next - first)
      }
    }),
    RUNS,
  )
})

test('a search finds every line that holds the text, in either case of its letters', async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 12 }),
      async (content, at, offset, length) => {
        const { view, scanned } = await tapeOf(content)
        const source = scanned[at % Math.max(1, scanned.length)]?.text ?? ''
        const needle = source.slice(offset % Math.max(1, source.length)).slice(0, length)
        // What cannot stand inside a JSON string as it is has another form on the line.
        if (needle === '' || JSON.stringify(needle) !== `"${needle}"`) return
        const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
        const upper = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())
        const expected = scanned.filter(({ text }) => fold(text).includes(fold(needle))).map(({ row }) => row)
        const result = await view.search({ text: upper(needle), from: 0, count: 200 })
        expect(result.hits.map(({ row }) => row.row)).toEqual(expected.slice(0, 200))
        expect(result.total).toBe(expected.length)
      },
    ),
    RUNS,
  )
})
