/**
 * What a recording does in the time between two reads: lines and the second look follow the bytes, are never
 * left out, and keep nothing of the memory that they were given.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecorder, open, openSync, recordSession, repairCassette } from '../../src/cassette/index.ts'
import { createScrubber } from '../../src/scrub/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LINE = `${'0123456789'.repeat(9)}\r\n`
const BURST = Buffer.from(LINE.repeat(696).slice(0, 64_000))

function lines(folder: string): number {
  return readFileSync(join(folder, 'output.jsonl'), 'utf8').split('\n').length - 1
}

test('a paced recorder writes bytes at once, and their lines with meanwhile, catchUp, or close', async () => {
  const out = join(tempFolder(), 'c')
  const recorder = createRecorder(out, {}, { paced: true })
  recorder.recordOutput(BURST)
  expect(readFileSync(join(recorder.path, 'output.raw')).byteLength).toBeGreaterThan(63_000)
  expect(lines(recorder.path)).toBe(0)
  recorder.recordOutput(BURST)
  for (let slot = 0; slot < 5; slot += 1) recorder.meanwhile()
  expect(lines(recorder.path)).toBe(1)
  recorder.recordOutput(Buffer.from('\r\n'))
  expect(lines(recorder.path)).toBe(3)
  recorder.recordOutput(BURST)
  recorder.catchUp()
  recorder.recordFinal()
  await recorder.close()
  expect(lines(out)).toBe(4)
  expect(
    openSync(out)
      .outputChunks()
      .map(({ length }) => length),
  ).toEqual([64_000, 64_000, 2, 64_000])
})

test('however fast bytes come, no more than 256 KB wait for their lines; without `paced` none do', () => {
  for (const paced of [true, false]) {
    const recorder = createRecorder(join(tempFolder(), 'c'), {}, { paced })
    for (let chunk = 0; chunk < 40; chunk += 1)
      recorder.recordOutput(Buffer.concat([BURST, Buffer.from('\r\n')]))
    expect(40 - lines(recorder.path)).toBe(paced ? 4 : 0)
    recorder.abandon()
  }
})

test('bytes whose lines were still to come are kept by repair', async () => {
  const at = tempFolder()
  const recorder = createRecorder(join(at, 'c'), {}, { paced: true })
  recorder.recordOutput(Buffer.concat([BURST, Buffer.from('\r\n')]))
  expect(lines(recorder.path)).toBe(0)
  const report = await repairCassette(recorder.path, join(at, 'mended'))
  expect(report.bytes).toBe(64_002)
  expect(openSync(join(at, 'mended')).rawOutput().byteLength).toBe(64_002)
  recorder.abandon()
})

test('the memory of a chunk may be used again as soon as it is recorded, also where its end is held back', async () => {
  const out = join(tempFolder(), 'c')
  const recorder = createRecorder(out)
  const memory = Buffer.from(`${LINE.repeat(50)}token ghp_0123`)
  const first = Buffer.from(memory)
  recorder.recordOutput(memory)
  memory.fill(0x58)
  recorder.recordOutput(Buffer.from(' is short\r\ndone\r\n'))
  recorder.recordFinal()
  await recorder.close()
  const text = Buffer.from(openSync(out).rawOutput()).toString()
  expect(text).not.toContain('X')
  expect(text).toBe(`${first.toString()} is short\r\ndone\r\n`)
})

test('a secret that becomes known after its bytes were written and looked over is masked at the end', async () => {
  const out = join(tempFolder(), 'c')
  const scrubber = createScrubber()
  const recorder = createRecorder(out, {}, { scrubber })
  recorder.recordOutput(Buffer.from('the word is quercus-74-umbra today\r\n'))
  scrubber.learn('typed', 'quercus-74-umbra')
  recorder.recordFinal()
  await recorder.close()
  expect(Buffer.from(openSync(out).rawOutput()).toString()).toBe(`the word is ${'*'.repeat(16)} today\r\n`)
})

test('a burst through a terminal is whole: every byte, every chunk, the digest of the file', async () => {
  const out = join(tempFolder(), 'c')
  const { bytes } = await recordSession({ out, argv: ['sh', '-c', 'seq 1 200000'], frames: false })
  const expected = Buffer.from(Array.from({ length: 200_000 }, (_, at) => `${at + 1}\r\n`).join(''))
  const reader = await open(out)
  expect(bytes).toBe(expected.byteLength)
  expect(Buffer.compare(Buffer.from(reader.rawOutput()), expected)).toBe(0)
  expect(reader.manifest().contentDigest.sha256).toBe(createHash('sha256').update(expected).digest('hex'))
  expect(readdirSync(out)).toHaveLength(8)
})
