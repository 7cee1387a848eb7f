/**
 * The index of the viewer against `verify` on one tape of a million records: both read every line once. Then
 * the answers that a page waits for, and the page itself in Chromium: at that size for its speed, at five
 * times the size for its memory. `REPRISE_BENCH_MILLIONS=5 npm run bench -- viewer` takes a tape of five
 * million records.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHeader, TapeWriter } from 'reprise/tape'
import { fromDisk } from '../dist/scrub/scrubbed.js'
import { median, verdict } from './measure.ts'
import { record } from './tape.ts'
import { pageFigures } from './viewer/page.ts'

const RECORDS = Math.round(Number(process.env.REPRISE_BENCH_MILLIONS ?? '1') * 1_000_000)
const RUNS = 5

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    const path = join(folder, 'run.tape')
    writeTape(path, RECORDS)
    console.log(
      `${RECORDS} records, ${Math.round(statSync(path).size / 1e6)} MB, median of ${RUNS} runs in processes of their own`,
    )
    const times = { verify: [] as number[], index: [] as number[] }
    let residentMb = 0
    for (let run = 0; run < RUNS; run += 1) {
      times.verify.push(measure(VERIFY, path).ms)
      rmSync(`${path}.index`, { recursive: true, force: true })
      const index = measure(INDEX, path)
      times.index.push(index.ms)
      residentMb = Math.max(residentMb, index.residentMb)
    }
    const [verifyMs, indexMs] = [median(times.verify), median(times.index)]
    console.log(`verify ${(verifyMs / 1000).toFixed(2)} s, index ${(indexMs / 1000).toFixed(2)} s`)
    verdict('building the index, share of the speed of verify', verifyMs / indexMs, 0.5, 'at least')
    verdict('building the index, resident MB', residentMb, 250, 'at most')
    const answers = measure(ANSWERS, path)
    verdict('opening an index and the first view, ms', answers.ms, 2000, 'at most')
    console.log(answers.text)
    const page = await pageFigures(path)
    verdict('frame while scrolling and zooming, p95 in ms', page.p95FrameMs, 50, 'at most')
    verdict('the renderer, resident MB', page.residentMb, 300, 'at most')
    console.log(`from the address to the first records on the screen: ${Math.round(page.firstViewMs)} ms`)
    const larger = join(folder, 'larger.tape')
    writeTape(larger, 5 * RECORDS)
    const { residentMb: largerMb, p95FrameMs } = await pageFigures(larger)
    verdict(
      `the renderer at ${5 * RECORDS} records, share of that`,
      largerMb / page.residentMb,
      1.2,
      'at most',
    )
    verdict('frame at that size, p95 in ms', p95FrameMs, 50, 'at most')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeTape(path: string, records: number): void {
  const writer = TapeWriter.open(path, fromDisk(createHeader()))
  for (let seq = 0; seq < records; seq += 1) writer.append(fromDisk(record(seq)))
  writer.close()
}

const VERIFY = `
  import { verifyTape } from './dist/tape/verify.js'
  const start = performance.now()
  if (!(await verifyTape(path)).ok) throw new Error('not whole')
  report(performance.now() - start)`

const INDEX = `
  import { openTapeIndex } from './dist/viewer/index/index-folder.js'
  const start = performance.now()
  await openTapeIndex(path)
  report(performance.now() - start)`

/** What the page asks for first, then one of each of its other questions. */
const ANSWERS = `
  import { openViewer } from './dist/viewer/items/open-viewer.js'
  const start = performance.now()
  const { source } = await openViewer([path])
  const { rows, durationMs } = await source.overview('0')
  await source.rows('0', { filter: {}, from: 0, count: 200 })
  await source.buckets('0', { axis: 'time', from: 0, to: durationMs, count: 1000 })
  const first = performance.now() - start
  const lines = []
  const timed = async (name, ask) => {
    const begin = performance.now()
    await ask()
    lines.push(name.padEnd(58) + (performance.now() - begin).toFixed(1).padStart(9) + ' ms')
  }
  await timed('a window in the middle', () => source.rows('0', { filter: {}, from: rows >> 1, count: 200 }))
  await timed('a window of one kind', () => source.rows('0', { filter: { kinds: ['llm_call'] }, from: rows >> 3, count: 200 }))
  await timed('a window of a kind in a phase (reads all rows)', () => source.rows('0', { filter: { kinds: ['llm_call'], phase: 'user_script' }, from: 9, count: 200 }))
  await timed('the longest spans', () => source.spans('0', { axis: 'time', from: 0, to: durationMs, limit: 500 }))
  await timed('a rare text', () => source.search('0', { text: 'src/module-777777/', from: 0, count: 20 }))
  await timed('a common text, up to its limit', () => source.search('0', { text: 'answer', from: 0, count: 20 }))
  report(first, lines.join('\\n'))`

function measure(
  program: string,
  path: string,
): { readonly ms: number; readonly residentMb: number; readonly text: string } {
  const head = `
    const path = process.argv[1]
    const report = (ms, text = '') => console.log(JSON.stringify({ ms, text, residentMb: process.resourceUsage().maxRSS / 1024 }))`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', head + program, path], {
    encoding: 'utf8',
    cwd: new URL('..', import.meta.url),
  })
  if (run.status !== 0) throw new Error(run.stderr)
  return JSON.parse(run.stdout)
}
