import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { EventTape, verifyTape } from '../../src/tape/index.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a recording killed at random moments opens, with every record whose tick had ended', async () => {
  const folder = tempFolder()
  const findings = new Set<string>()
  const random = seeded(campaignSeed)
  for (let round = 0; round < scaled(200, 6); round += 1) {
    const path = join(folder, `${round}.tape`)
    const reported = await killedAfter(path, random(3000))
    const tape = await EventTape.load(path)
    expect(tape.records.length, `round ${round}`).toBeGreaterThanOrEqual(reported)
    expect(tape.records.map((record) => record.seq)).toEqual(tape.records.map((_, at) => at))
    for (const { code } of (await verifyTape(path)).findings) findings.add(code)
  }
  // Cut off, perhaps in the middle of a line; never a payload that is named but missing, never damage before
  // the end.
  expect([...findings].filter((code) => code !== 'torn')).toEqual(['unsealed'])
})

/** Kills the recording as soon as it has reported `reports` times; gives the last number that it reported. */
async function killedAfter(path: string, reports: number): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    [fileURLToPath(new URL('../support/record-without-end.mjs', import.meta.url)), path],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let text = ''
  let seen = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-4096)
    for (const byte of chunk) if (byte === 10) seen += 1
    if (seen > reports) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1))
}
