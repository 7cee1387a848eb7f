/** Cleaning a cassette that was written before its secret was known, and one from elsewhere. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecorder, open, scrubCassette, verifyCassette } from '../../src/cassette/index.ts'
import { createScrubber } from '../../src/scrub/index.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { documents, sha256, writeCassette } from './written-cassette.ts'

const WORD = 'correct-horse-battery'
const knows = () => createScrubber({ env: { PASSPHRASE_TOKEN: WORD } })

function everyByte(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n')
}

async function recorded(): Promise<string> {
  const recorder = createRecorder(
    join(tempFolder(), 'c'),
    { terminal: { initialRows: 4, initialCols: 40 } },
    { scrubber: createScrubber({}) },
  )
  recorder.recordOutput(Buffer.from(`\x1b[31m${WORD.slice(0, 9)}`))
  recorder.recordOutput(Buffer.from(`\x1b[0m${WORD.slice(9)}\r\nrest\r\n`))
  recorder.recordInput({ bytes: Buffer.from(`${WORD}\r`) })
  recorder.recordServiceEvent({ said: WORD })
  recorder.markFrame()
  recorder.recordFinal()
  return recorder.close()
}

test('check only judges', async () => {
  const folder = await recorded()
  const before = everyByte(folder)
  expect(await scrubCassette(folder, { check: true, scrubber: knows() })).toMatchObject({
    clean: false,
    found: expect.arrayContaining(['output.raw']),
  })
  expect(await scrubCassette(folder, { check: true, scrubber: createScrubber({}) })).toMatchObject({
    clean: true,
    found: [],
  })
  expect(everyByte(folder)).toBe(before)
})

test('in place, and nothing of it stays beside it', async () => {
  const folder = await recorded()
  expect(await scrubCassette(folder, { scrubber: knows() })).toMatchObject({ clean: false })
  expect(everyByte(folder)).not.toContain(WORD)
  expect(readdirSync(join(folder, '..'))).toEqual(['c'])
  const reader = await open(folder)
  expect(reader.final().finalText).toBe(`${'*'.repeat(WORD.length)}\nrest`)
  expect((await verifyCassette(folder, { scrubber: knows() })).findings).toEqual([])
  expect(await scrubCassette(folder, { scrubber: knows() })).toMatchObject({ clean: true })
})

test('into a new folder, from a cassette of another writer', async () => {
  const parts = documents()
  parts.raw = `${WORD}\r\n`
  Object.assign(parts.manifest, { content_digest: { sha256: sha256(parts.raw) } })
  parts.output = [
    { seq: 2, t_ms: 50, offset: 0, length: parts.raw.length },
    { seq: 4, t_ms: 100, offset: parts.raw.length, length: 0 },
  ]
  const source = writeCassette(join(tempFolder(), 'foreign'), parts)
  const out = join(tempFolder(), 'clean')
  await scrubCassette(source, { out, scrubber: knows() })
  expect(existsSync(source)).toBe(true)
  const reader = await open(out)
  expect(Buffer.from(reader.rawOutput()).toString()).toBe(`${'*'.repeat(WORD.length)}\r\n`)
  expect(reader.manifest()).toMatchObject({ id: 'made-by-hand', harness: { name: 'demo' } })
  expect(reader.events().map((event) => [event.kind, event.tMs])).toEqual([
    ['input', 0],
    ['output', 50],
    ['input', 50],
    ['output', 100],
    ['frame', 100],
    ['service-event', 150],
    ['final', 150],
  ])
})

test('a file that was cut out, changed or added shows in verify by its name', async () => {
  const folder = await recorded()
  const copy = join(tempFolder(), 'copy')
  cpSync(folder, copy, { recursive: true })
  expect((await verifyCassette(copy)).ok).toBe(true)
  const { rmSync, writeFileSync, appendFileSync } = await import('node:fs')
  writeFileSync(join(copy, 'quota.json'), '{"source":"x","status":"ok"}')
  appendFileSync(join(copy, 'frames.jsonl'), '\n')
  expect((await verifyCassette(copy)).findings.map(({ message }) => message)).toEqual([
    'cassette: frames.jsonl is not what was recorded',
    'cassette: quota.json is not what was recorded',
  ])
  rmSync(join(copy, 'frames.jsonl'))
  expect((await verifyCassette(copy)).findings[0]?.message).toBe(
    'cassette: required artifact frames.jsonl: no such file',
  )
})
