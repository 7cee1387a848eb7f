/** A replay through the command line reads its tape once, and writes nothing but its result. */
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

const probe = new URL('../support/file-probe.mjs', import.meta.url).href

async function probed(program: RecordedProgram, args: readonly string[] = []) {
  const log = join(tempFolder(), 'probe.log')
  const env = { ...process.env, NODE_OPTIONS: `--import=${probe}`, REPRISE_TEST_PROBE: log }
  const run = await reprise(['replay', program.tape, ...args], { cwd: program.folder, env })
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const reads = lines.filter((line) => line.startsWith('read ')).map((line) => Number(line.slice(5)))
  const written = lines.filter((line) => line.startsWith('write ')).map((line) => basename(line.slice(6)))
  return {
    run,
    read: reads.reduce((sum, bytes) => sum + bytes, 0) / statSync(program.tape).size,
    written: new Set(written),
  }
}

/** Lines of about 200 bytes each. */
const reading = (count: number): string => `
  let sum = 0
  for (let at = 0; at < ${count}; at += 1) sum += Date.now() % 7
  console.log(sum >= 0)`

describe('the tape of a replay', () => {
  test.for([
    ['whose records are kept in memory', 5_000],
    ['whose bytes are kept in memory', 60_000],
  ] as const)('%s is read once', async ([, count]) => {
    const program = await recordProgram(reading(count))
    const { run, read } = await probed(program)
    expect(run.code).toBe(0)
    // The command line reads the header, in a chunk of 4 KB.
    expect(read).toBeGreaterThanOrEqual(1)
    expect(read).toBeLessThan(1.1)
  })

  test('is read a second time from the first line that differs', async () => {
    const program = await recordProgram(`${reading(5_000)}\nconsole.log(Math.random() < 2)`)
    program.change(`${reading(5_000)}\nconsole.log(Math.random() + Math.random() < 3)`)
    const { run, read } = await probed(program)
    expect(run.code).toBe(2)
    expect(read).toBeGreaterThan(1.9)
    expect(read).toBeLessThan(2.2)
  })
})

test('a replay writes its result to the temporary folder, and nothing else', async () => {
  const program = await recordProgram(`
    import fs from 'node:fs'
    const big = 'x'.repeat(100_000)
    fs.writeFileSync('big.txt', big)
    console.log(fs.readFileSync('big.txt', 'utf8').length)`)
  chmodSync(program.folder, 0o555)
  try {
    const { run, written } = await probed(program)
    expect(run).toMatchObject({ code: 0, stdout: '100000\n' })
    expect([...written]).toEqual(['result.json'])
  } finally {
    chmodSync(program.folder, 0o755)
  }
})

test('with --emit-tape the second recording is written too', async () => {
  const program = await recordProgram('console.log(Date.now() > 0)')
  const emitted = join(program.folder, 'second.tape')
  const { run, written } = await probed(program, ['--emit-tape', emitted])
  expect(run.code).toBe(0)
  expect([...written].sort()).toEqual(['result.json', 'second.tape'])
  expect(existsSync(emitted)).toBe(true)
})
