/**
 * Terminals under the newer Nodes: recorded, killed and repaired, and driven by a program on a tape. Under
 * this Node they have tests of their own.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { open, verifyCassette } from '../../src/cassette/index.ts'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const lydell = dirname(dirname(fileURLToPath(import.meta.resolve('@lydell/node-pty'))))

const DRIVER = `
  import { spawn } from '@lydell/node-pty'
  const term = spawn('bash', ['--norc', '--noprofile'], { cols: 80, rows: 24, env: { PATH: process.env.PATH, PS1: '$ ' } })
  let seen = ''
  term.onData((data) => {
    const isFirst = !seen.includes('$ ')
    seen += data
    if (isFirst && seen.includes('$ ')) term.write('echo answer-$((6*7)); exit 3\\r')
  })
  term.onExit(({ exitCode }) => console.log(exitCode, /answer-42/.test(seen), seen.length))
`

/** The wall of a replay knows of addons what is on the tape: nothing, here. */
const IDLE = `
  const loaded = await import('@lydell/node-pty').catch((error) => ({ message: error.message }))
  console.log(typeof loaded.spawn, loaded.message)
`

describe.each(['node22', 'node24', 'node26'])('%s', (name) => {
  test('records a program that says a lot, to its last byte, and shows it', {
    timeout: 60_000,
  }, async (context) => {
    const node = newerNode(name)
    if (node === null) return context.skip(name)
    const out = join(tempFolder(), 'c')
    const recorded = await runChild(
      node,
      [
        bin,
        'cassette',
        'record',
        '--quiet',
        '--out',
        out,
        '--',
        'bash',
        '-c',
        'seq 1 200000; printf "\\033[32mend\\033[0m"; exit 5',
      ],
      {},
    )
    expect([recorded.code, recorded.stderr]).toEqual([5, ''])
    const raw = Buffer.from((await open(out)).rawOutput()).toString()
    expect(raw).toBe(
      `${Array.from({ length: 200_000 }, (_, at) => `${at + 1}\r\n`).join('')}\x1b[32mend\x1b[0m`,
    )
    expect((await verifyCassette(out)).findings).toEqual([])
    const shown = await runChild(node, [bin, 'cassette', 'show', out], {})
    expect(shown.stdout.trimEnd().split('\n').slice(-2)).toEqual(['200000', 'end'])
  })

  test('killed in the middle, it leaves what repair takes', { timeout: 60_000 }, async (context) => {
    const node = newerNode(name)
    if (node === null) return context.skip(name)
    const at = tempFolder()
    const recorder = spawn(
      node,
      [bin, 'cassette', 'record', '--out', join(at, 'c'), '--', 'bash', '-c', 'echo ready; read never'],
      {
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    )
    await new Promise((resolve) => recorder.stdout.once('data', resolve))
    recorder.kill('SIGKILL')
    await new Promise((resolve) => recorder.once('exit', resolve))
    const [partial = ''] = readdirSync(at)
    expect(partial).toBe(`c.partial-${recorder.pid}`)
    const repaired = await runChild(node, [bin, 'repair', join(at, partial), '--out', join(at, 'mended')], {})
    expect(repaired.code, repaired.stderr).toBe(0)
    expect(readFileSync(join(at, 'mended/output.raw'), 'utf8')).toBe('ready\r\n')
    expect((await verifyCassette(join(at, 'mended'))).findings.map(({ code }) => code)).toEqual([
      'cassette-incomplete',
    ])
  })

  test.each([
    ['that drives a terminal', DRIVER, /^3 true \d+\n$/],
    ['that loads node-pty and starts nothing', IDLE, /^function undefined\n$/],
  ])(
    'a program %s is recorded, and replayed with nothing started',
    { timeout: 60_000 },
    async (_, source, printed) => {
      const node = newerNode(name)
      if (node === null) throw new Error(`${name} is not installed`)
      const folder = join(tempFolder(), 'driver')
      mkdirSync(join(folder, 'node_modules'), { recursive: true })
      symlinkSync(lydell, join(folder, 'node_modules', '@lydell'))
      writeFileSync(join(folder, 'agent.mjs'), source)
      const recorded = await runChild(
        node,
        [bin, 'record', '--quiet', '--out', 'run.tape', '--', node, 'agent.mjs'],
        {
          cwd: folder,
        },
      )
      expect(recorded.stdout, recorded.stderr).toMatch(printed)
      const replayed = await runChild(node, [bin, 'replay', 'run.tape', '--report', 'report.json'], {
        cwd: folder,
        env: { PATH: '/nonexistent' },
      })
      expect(replayed.stdout, replayed.stderr).toBe(recorded.stdout)
      expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
        verdict: 'faithful',
        divergences: [],
        unused: [],
      })
    },
  )
})
