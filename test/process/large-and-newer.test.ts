/** What is too much for memory, what other Nodes do, and part of a process. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { record, replay } from '../../src/testbench/index.ts'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { endings, forkedChild, messages, streams, surface, synchronous } from './programs.ts'

const NOTHING = { ...process.env, PATH: '/nonexistent' }

/** The most memory that this process had, asked of the functions as they were before anything was patched. */
const WATCH = `
const usage = process.resourceUsage.bind(process)
process.on('exit', () => process._rawDebug('peak ' + usage().maxRSS))
`

test('50 MB of output leave the memory where it was', async () => {
  const program = await recordProgram(`
    import { spawn } from 'node:child_process'
    const child = spawn('sh', ['-c', 'yes 0123456789abcdef | head -c 52428800'])
    let bytes = 0
    for await (const chunk of child.stdout) bytes += chunk.length
    console.log(bytes)`)
  expect(program.recorded).toMatchObject({ code: 0, stdout: '52428800\n', stderr: '' })
  const folder = tempFolder()
  writeFileSync(join(folder, 'watch.mjs'), WATCH)
  const peakOf = async (mode: string, tape: string): Promise<number> => {
    const env = { ...process.env, REPRISE_MODE: mode, REPRISE_TAPE: tape }
    const words = [
      '--import',
      join(folder, 'watch.mjs'),
      '--import',
      new URL('../../dist/entry/register.js', import.meta.url).href,
      program.script,
    ]
    const run = await runChild(process.execPath, words, { cwd: program.folder, env })
    expect(run).toMatchObject({ code: 0, stdout: '52428800\n' })
    return Number(/^peak (\d+)$/m.exec(run.stderr)?.[1]) / 1024
  }
  expect(await peakOf('record', join(folder, 'second.tape'))).toBeLessThan(150)
  expect(await peakOf('replay', program.tape)).toBeLessThan(150)
  expect((await reprise(['verify', program.tape])).code).toBe(0)
})

test.for(['node22', 'node24', 'node26'])('all of it under %s', async (name, context) => {
  const node = newerNode(name)
  if (node === null) context.skip(name)
  const folder = tempFolder()
  writeFileSync(join(folder, 'forked.mjs'), forkedChild)
  for (const [at, source] of [surface, endings, synchronous, streams, messages].entries()) {
    writeFileSync(join(folder, 'agent.mjs'), source)
    const tape = join(folder, `${at}.tape`)
    const bin = new URL('../../bin/reprise.js', import.meta.url).pathname
    const recorded = await runChild(
      node ?? '',
      [bin, 'record', '--quiet', '--out', tape, '--', node ?? '', 'agent.mjs'],
      { cwd: folder },
    )
    expect(recorded.code).toBe(0)
    const replayed = await runChild(node ?? '', [bin, 'replay', tape, '--report', `${tape}.json`], {
      cwd: folder,
      env: NOTHING,
    })
    expect(JSON.parse(readFileSync(`${tape}.json`, 'utf8'))).toMatchObject({
      verdict: 'faithful',
      divergences: [],
    })
    expect(replayed).toEqual(recorded)
  }
})

test('a part of a process: what it starts is its own', async () => {
  const { exec, spawn, spawnSync } = await import('node:child_process')
  const { promisify } = await import('node:util')
  const body = async () => {
    const child = spawn('cat')
    child.stdin.end('given')
    const got: string[] = []
    for await (const chunk of child.stdout) got.push(String(chunk))
    return [
      got,
      (await promisify(exec)('date +%s%N')).stdout,
      spawnSync('date', ['+%s%N'], { encoding: 'utf8' }).stdout,
      child.pid,
    ]
  }
  const tape = join(tempFolder(), 'run.tape')
  const first = await record(tape, body)
  const { value, report } = await replay(tape, body)
  expect(value).toEqual(first)
  expect(report.verdict).toBe('faithful')
  expect(spawnSync('date', ['+%s%N'], { encoding: 'utf8' }).stdout).not.toBe(first[2])
})
