/**
 * SIGKILL at random moments of a recording: never an accepted cassette that is broken, and what is left can
 * be repaired.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { open, repairCassette, verifyCassette } from '../../src/cassette/index.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

const kills = scaled(100, 4)
const bundle = join(import.meta.dirname, '../../dist/cassette/index.js')

/** Kills the child after so many milliseconds from its first word, and waits until it is gone. */
function killAfter(child: ChildProcess, delayMs: number): Promise<string> {
  let said = ''
  return new Promise((resolve) => {
    child.stdout?.on('data', (text: Buffer) => {
      if (said === '') setTimeout(() => child.kill('SIGKILL'), delayMs)
      said += text.toString()
    })
    child.on('close', () => resolve(said))
  })
}

test(`${kills} kills`, { timeout: 3_600_000 }, async () => {
  expect(existsSync(bundle), 'build first: npm run build').toBe(true)
  const random = seeded(campaignSeed)
  const ends = { accepted: 0, repaired: 0 }
  for (let round = 0; round < kills; round += 1) {
    const folder = tempFolder()
    const out = join(folder, 'c')
    const child = spawn(process.execPath, ['--input-type=module', '-e', childProgram(out)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // The recording takes some 80 ms, its closing another 40: each kill has its own part of the moments in
    // both, and after.
    await killAfter(child, Math.floor((150 * (round + random(1000) / 1000)) / kills))
    const partials = readdirSync(folder).filter((name) => name.startsWith('c.partial-'))
    if (existsSync(out)) {
      expect((await verifyCassette(out)).findings).toEqual([])
      expect(partials).toEqual([])
      ends.accepted += 1
      continue
    }
    expect(partials).toHaveLength(1)
    const partial = join(folder, partials[0] ?? '')
    const before = readFileSync(join(partial, 'output.raw'))
    const report = await repairCassette(partial, join(folder, 'repaired'))
    const reader = await open(join(folder, 'repaired'))
    expect([reader.incomplete, Buffer.from(reader.rawOutput()).equals(before), report.manifestKept]).toEqual([
      true,
      true,
      true,
    ])
    const verdict = await verifyCassette(join(folder, 'repaired'))
    expect(verdict.findings.map(({ code }) => code)).toEqual(['cassette-incomplete'])
    ends.repaired += 1
  }
  expect(ends.repaired).toBeGreaterThan(kills / 10)
  expect(ends.repaired + ends.accepted).toBe(kills)
})

function childProgram(out: string): string {
  return `
    import { createRecorder } from ${JSON.stringify(bundle)}
    const recorder = createRecorder(${JSON.stringify(out)}, { command: { argv: ['busy'] }, terminal: { initialRows: 6, initialCols: 30 }, timing: { resolutionMs: 1 } })
    for (let round = 1; round <= 600; round += 1) {
      recorder.recordOutput(Buffer.from('\\x1b[' + (1 + (round % 6)) + ';1Hline ' + round + ' \\x1b[3' + (round % 8) + 'm' + 'x'.repeat(round % 50) + '\\x1b[0m'))
      recorder.recordInput({ bytes: Buffer.from('cmd ' + round + '\\r') })
      if (round % 9 === 0) recorder.recordInput({ kind: 'resize', size: { rows: 6 + (round % 3), cols: 30 } })
      if (round % 5 === 0) recorder.markFrame()
      if (round % 7 === 0) recorder.recordServiceEvent({ round })
      if (round === 2) process.stdout.write('ready\\n')
      await new Promise((resolve) => setImmediate(resolve))
    }
    recorder.markFrame()
    recorder.recordFinal({})
    await recorder.close()
    process.stdout.write('closed\\n')
    setTimeout(() => undefined, 10_000)
  `
}
