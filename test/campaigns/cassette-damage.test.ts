/**
 * A cassette damaged at any byte of any file, one at a time: `open` refuses it or `verify` reports it.
 * Nothing crashes, nothing passes.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecorder, verifyCassette } from '../../src/cassette/index.ts'
import { isRepriseError } from '../../src/errors/index.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function recorded(folder: string): Promise<string> {
  const recorder = createRecorder(join(folder, 'c'), {
    command: { argv: ['demo'] },
    terminal: { initialRows: 4, initialCols: 20 },
  })
  recorder.recordInput({ bytes: Buffer.from('ls\r') })
  recorder.recordOutput(Buffer.from('a\x1b[31mb\x1b[0m\r\n'))
  recorder.recordInput({ kind: 'resize', size: { rows: 5, cols: 30 } })
  recorder.markFrame()
  recorder.recordServiceEvent({ status: 'ok' })
  recorder.writeQuota({ source: 'pty', status: 'ok' })
  recorder.recordOutput(Buffer.from('done\r\n'))
  recorder.markFrame()
  recorder.recordFinal({ exit: { code: 0, signal: '', exited: true, signaled: false } })
  return recorder.close()
}

/** True if the damage was noticed; a crash is no notice. */
async function isNoticed(folder: string): Promise<boolean> {
  try {
    return !(await verifyCassette(folder)).ok
  } catch (error) {
    if (isRepriseError(error)) return true
    throw error
  }
}

test('every byte of every file, flipped, and the file cut there', { timeout: 3_600_000 }, async () => {
  const whole = await recorded(tempFolder())
  expect((await verifyCassette(whole)).findings).toEqual([])
  const copy = join(tempFolder(), 'copy')
  cpSync(whole, copy, { recursive: true })
  const random = seeded(campaignSeed)
  const missed: string[] = []
  let tried = 0
  for (const name of readdirSync(whole)) {
    const bytes = readFileSync(join(whole, name))
    const positions = Array.from({ length: bytes.byteLength }, (_, at) => at)
    const chosen = positions.filter(() => random(120) < scaled(120, 4))
    for (const at of chosen) {
      const flipped = Uint8Array.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random(8))
      writeFileSync(join(copy, name), flipped)
      if (!(await isNoticed(copy))) missed.push(`${name} byte ${at} flipped`)
      writeFileSync(join(copy, name), bytes.subarray(0, at))
      if (!(await isNoticed(copy))) missed.push(`${name} cut at ${at}`)
      tried += 2
    }
    writeFileSync(join(copy, name), bytes)
  }
  expect(missed).toEqual([])
  expect(tried).toBeGreaterThan(scaled(4000) / 2)
  expect((await verifyCassette(copy)).ok).toBe(true)
})
