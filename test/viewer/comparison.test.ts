/** Two tapes side by side: rows are aligned as the oracle aligns them, and nothing is left out. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openViewer } from '../../src/viewer/items/open-viewer.ts'
import type { AlignedRow, ViewerSource } from '../../src/viewer/protocol.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HEADER =
  '{"type":"header","version":1,"harn_version":"reprise/0.1.0","started_at_unix_ms":null,"script_path":null,"argv":[],"producer":{"name":"reprise","version":"0.0.9"}}'

function tapeOf(folder: string, name: string, paths: readonly string[], extra = ''): string {
  const lines = paths.map((path, seq) =>
    JSON.stringify({
      type: 'record',
      seq,
      phase: 'user_script',
      virtual_time_ms: 1000,
      monotonic_ms: seq,
      kind: { kind: 'file_delete', path },
    }),
  )
  const file = join(folder, name)
  writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n${extra}`)
  return file
}

async function compared(
  recorded: readonly string[],
  replayed: readonly string[],
  extra = '',
): Promise<ViewerSource> {
  const folder = tempFolder()
  const viewer = await openViewer([
    tapeOf(folder, 'a.tape', recorded),
    tapeOf(folder, 'b.tape', replayed, extra),
  ])
  onTestFinished(() => viewer.close())
  return viewer.source
}

const shape = ({ state, recorded, replayed }: AlignedRow) => [
  state,
  recorded?.row ?? null,
  replayed?.row ?? null,
]

test('a changed, a missing and an extra record are in their places, with findings', async () => {
  const source = await compared(['a', 'b', 'c', 'd', 'e'], ['a', 'B', 'c', 'e', 'f'])
  const { rows, total } = await source.aligned({ from: 0, count: 100, show: 'all' })
  expect(rows.map(shape)).toEqual([
    ['same', 0, 0],
    ['changed', 1, 1],
    ['same', 2, 2],
    ['missing', 3, null],
    ['same', 4, 3],
    ['extra', null, 4],
  ])
  const document = await source.comparison()
  expect(document).toMatchObject({
    verdict: 'diverged',
    findingCount: 3,
    alignedRows: total,
    firstDifference: 1,
    alignmentComplete: true,
  })
  const differences = await source.aligned({ from: 0, count: 100, show: 'differences' })
  expect(differences.rows.map(({ position }) => position)).toEqual([1, 3, 5])
  expect(await source.comparisonFinding(rows[1]?.finding ?? -1)).toMatchObject({
    position: 1,
    recordedRow: 1,
    replayedRow: 1,
    divergences: [{ path: '$.kind.path', expected: 'b', actual: 'B' }],
  })
  await expect(source.comparisonFinding(99)).rejects.toMatchObject({ code: 'finding-missing' })
})

test('equal tapes have no difference', async () => {
  const source = await compared(['a', 'b'], ['a', 'b'])
  expect(await source.comparison()).toMatchObject({ findingCount: 0, firstDifference: null, alignedRows: 2 })
  expect((await source.aligned({ from: 1, count: 5, show: 'all' })).rows.map(shape)).toEqual([['same', 1, 1]])
})

test('a damaged tape is shown beside the other, with the reason why they cannot be compared', async () => {
  const source = await compared(['a', 'b'], ['a'], 'rubbish\n')
  expect(await source.comparison()).toMatchObject({
    verdict: 'failed',
    problem: expect.stringContaining('line 3'),
  })
  expect((await source.aligned({ from: 0, count: 5, show: 'all' })).rows.map(shape)).toEqual([
    ['uncompared', 0, 0],
    ['uncompared', 1, 1],
  ])
})

test('no pair is called the same that the mode does not look at', async () => {
  const folder = tempFolder()
  const tapes = [tapeOf(folder, 'a.tape', ['a', 'b']), tapeOf(folder, 'b.tape', ['a', 'B'])]
  const viewer = await openViewer(tapes, { mode: 'outcome' })
  onTestFinished(() => viewer.close())
  const { rows } = await viewer.source.aligned({ from: 0, count: 5, show: 'all' })
  expect(rows.map(({ state }) => state)).toEqual(['uncompared', 'uncompared'])
  expect(await viewer.source.comparison()).toMatchObject({ alignmentComplete: false })
})

test('every row of both tapes is in the alignment once, in order', async () => {
  const paths = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(paths, paths, async (recorded, replayed) => {
      const source = await compared(recorded, replayed)
      const { rows, total } = await source.aligned({ from: 0, count: 200, show: 'all' })
      expect(rows.length).toBe(total)
      const side = (name: 'recorded' | 'replayed') =>
        rows.flatMap((row) => (row[name] === null ? [] : [row[name]?.row]))
      expect(side('recorded')).toEqual(recorded.map((_, at) => at))
      expect(side('replayed')).toEqual(replayed.map((_, at) => at))
      for (const row of rows) {
        const same =
          row.recorded !== null && row.replayed !== null && row.recorded.title === row.replayed.title
        if (row.state === 'same') expect(same).toBe(true)
      }
    }),
    { numRuns: 30 },
  )
})
