/** Tapes made to break a comparison: it must end, in bounded memory, with a report that can be read. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scaled } from '../support/campaign.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HEADER =
  '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":null,"script_path":null,"argv":[]}'

function writeTape(path: string, records: number, kindAt: (at: number) => string): string {
  const descriptor = openSync(path, 'w')
  let batch = `${HEADER}\n`
  for (let seq = 0; seq < records; seq += 1) {
    batch += `{"type":"record","seq":${seq},"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":${kindAt(seq)}}\n`
    if (batch.length < 1_000_000) continue
    writeSync(descriptor, batch)
    batch = ''
  }
  writeSync(descriptor, batch)
  closeSync(descriptor)
  return path
}

/** In a process of its own, for its memory. */
async function compared(
  recorded: string,
  replayed: string,
): Promise<{ findings: number; listed: number; characters: number; megabytes: number; code?: string }> {
  const program = `
    import { compareTapes, formatReport, judge, reportFormats } from 'reprise/fidelity'
    const [recordedName, replayName] = process.argv.slice(1)
    const report = await compareTapes(recordedName, replayName).catch(({ code }) => {
      console.log(JSON.stringify({ code }))
      process.exit()
    })
    const presented = { report, judgement: judge(report), recordedName, replayName }
    const characters = Math.max(...reportFormats.map((format) => formatReport(format, presented).length))
    console.log(JSON.stringify({ findings: report.findingCount, listed: report.findings.length, characters, megabytes: process.resourceUsage().maxRSS / 1024 }))`
  const root = new URL('../../', import.meta.url).pathname
  const { stdout, stderr } = await runChild(
    process.execPath,
    ['--input-type=module', '-e', program, recorded, replayed],
    { cwd: root },
  )
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const sleep = (ms: number): string => `{"kind":"clock_sleep","duration_ms":${ms}}`
const digits = (at: number, fill: string): string => at.toString(16).padStart(64, fill)

test('a million divergences', async () => {
  const [folder, records] = [tempFolder(), scaled(1_000_000)]
  const recorded = writeTape(join(folder, 'a.tape'), records, sleep)
  const replayed = writeTape(join(folder, 'b.tape'), records, (at) => sleep(at + 2 * records))
  const { findings, listed, characters, megabytes } = await compared(recorded, replayed)
  expect([findings, listed]).toEqual([records, 10_000])
  expect(characters).toBeLessThan(20_000_000)
  expect(megabytes).toBeLessThan(600)
})

test('the same records in another order', async () => {
  const [folder, records] = [tempFolder(), scaled(500_000)]
  const recorded = writeTape(join(folder, 'a.tape'), records, sleep)
  const replayed = writeTape(join(folder, 'b.tape'), records, (at) => sleep((at * 7919) % records))
  const { findings, megabytes } = await compared(recorded, replayed)
  expect(findings).toBeLessThanOrEqual(2 * records)
  expect(megabytes).toBeLessThan(600)
})

test('gigabyte payloads that are named and missing', async () => {
  const [folder, records] = [tempFolder(), scaled(200_000)]
  const call = (hash: string, bytes: number): string =>
    `{"kind":"llm_call","request_digest":"d","response":{"content_hash":"${hash}","len_bytes":${bytes}}}`
  const recorded = writeTape(join(folder, 'a.tape'), records, (at) => call(digits(at, '0'), 2 ** 30))
  const replayed = writeTape(join(folder, 'b.tape'), records, (at) =>
    call(digits(at, '1'), at % 2 === 0 ? 2 ** 31 : 100),
  )
  const { findings, megabytes } = await compared(recorded, replayed)
  expect(findings).toBe(records)
  expect(megabytes).toBeLessThan(600)
})

test('a block of records put in', async () => {
  const [folder, records, block] = [tempFolder(), scaled(300_000), scaled(20_000)]
  const recorded = writeTape(join(folder, 'a.tape'), records, sleep)
  const half = records / 2
  const replayed = writeTape(join(folder, 'b.tape'), records + block, (at) =>
    sleep(at < half ? at : at < half + block ? at + 5 * records : at - block),
  )
  expect((await compared(recorded, replayed)).findings).toBe(block)
  expect((await compared(replayed, recorded)).findings).toBe(block)
})

test('names of twenty megabytes, JSON a hundred thousand levels deep', async () => {
  const folder = tempFolder()
  const [name, deep] = ['x'.repeat(scaled(20_000_000)), scaled(100_000)]
  const long = (from: string): string =>
    writeTape(join(folder, `${from}.tape`), 3, (at) => `{"kind":"file_delete","path":"${from}${at}${name}"}`)
  const longs = await compared(long('a'), long('b'))
  expect(longs.findings).toBe(3)
  expect(longs.characters).toBeLessThan(200_000)
  const nested = (inner: string, depth: number): string =>
    writeTape(
      join(folder, `deep${inner}.tape`),
      2,
      () =>
        `{"kind":"fs_call","call":"stat","path":"a","result":${'['.repeat(depth)}${inner}${']'.repeat(depth)},"error":null}`,
    )
  expect((await compared(nested('1', 900), nested('2', 900))).findings).toBe(2)
  expect((await compared(nested('1', 900), nested('1', 900))).findings).toBe(0)
  expect(await compared(nested('1', deep), nested('2', deep))).toEqual({ code: 'tape-record-invalid' })
})
