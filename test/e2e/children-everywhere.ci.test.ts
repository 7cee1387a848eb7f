/** Node children in a terminal, of a worker thread and of the library: each has a tape of its own. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const lydell = dirname(dirname(fileURLToPath(import.meta.resolve('@lydell/node-pty'))))

const CHILD = `
  const own = Object.keys(process.env).filter((name) => /^(?:REPRISE_(?:MODE|TAPE|SETTINGS)|NODE_OPTIONS)$/.test(name))
  console.log('child', Math.random(), Date.now(), own, process.stdout.isTTY, process.stdout.columns)
  if (process.argv[2] === 'ask') {
    process.stdin.setRawMode(true)
    process.stdin.once('data', (typed) => { console.log(JSON.stringify(String(typed))); process.exit(4) })
  }
`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(project, join(folder, 'node_modules', 'reprise'))
  symlinkSync(lydell, join(folder, 'node_modules', '@lydell'))
  for (const [name, text] of Object.entries({ 'child.mjs': CHILD, ...files }))
    writeFileSync(join(folder, name), text)
  return folder
}

const recorded = (cwd: string) =>
  reprise(['--summary', 'record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], { cwd })

async function tree(cwd: string, tape = 'run.tape') {
  const run = await reprise(['replay', tape, '--tree', '--report', 'tree.json'], { cwd })
  const { verdict, tree_verdict, children, reasons } = JSON.parse(
    readFileSync(join(cwd, 'tree.json'), 'utf8'),
  )
  const verdicts = children.map((child: { tape: string; report: { verdict: string } }) => [
    child.tape,
    child.report.verdict,
  ])
  return { ...run, verdict, tree_verdict, reasons, verdicts }
}

test('in a terminal: alone, below a shell, and with keys that are typed', async () => {
  const cwd = folderWith({
    'agent.mjs': `
      import { spawn } from '@lydell/node-pty'
      const run = (file, args, typed) => new Promise((resolve) => {
        const terminal = spawn(file, args, { cols: 90 })
        let seen = ''
        terminal.onData((data) => {
          seen += data
          if (typed !== null && seen.includes('child')) terminal.write(typed)
          if (seen.includes('child')) typed = null
        })
        terminal.onExit(({ exitCode }) => resolve([exitCode, seen]))
      })
      console.log(await run(process.execPath, ['child.mjs'], null))
      console.log(await run('bash', ['--norc', '-c', process.execPath + ' child.mjs; echo end'], null))
      console.log(await run(process.execPath, ['child.mjs', 'ask'], 'x\\u001b[A'))
      console.log(await run('bash', ['-c', 'echo no Node'], null))
    `,
  })
  const { code, stdout, stderr } = await recorded(cwd)
  expect([code, stderr]).toEqual([0, expect.stringContaining('(3 tapes in the tree), 4 terminals, no gaps')])
  const replay = await tree(cwd)
  expect(replay).toMatchObject({ code: 0, stdout, stderr: '', tree_verdict: 'faithful' })
  expect(replay.verdicts).toEqual(['1', '2', '3'].map((name) => [`${name}.tape`, 'faithful']))
  expect(await reprise(['verify', 'run.tape'], { cwd })).toMatchObject({ code: 0 })
})

const IN_THREAD = `
  import { Worker, isMainThread, parentPort } from 'node:worker_threads'
  import { exec, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process'
  import { once } from 'node:events'
  if (isMainThread) new Worker(new URL(import.meta.url)).on('message', (text) => console.log(text))
  else {
    const own = Object.keys(process.env).filter((name) => /^(?:REPRISE_(?:MODE|TAPE|SETTINGS)|NODE_OPTIONS)$/.test(name))
    parentPort.postMessage(JSON.stringify(own))
    const node = process.execPath
    const texts = [
      spawnSync(node, ['child.mjs'], { encoding: 'utf8' }).stdout,
      spawnSync(node, ['child.mjs']).stdout,
      execSync(node + ' child.mjs'),
      execFileSync(node, ['child.mjs'], { env: { A: '1' } }),
    ]
    const children = [spawn(node, ['child.mjs']), exec(node + ' child.mjs'), fork('child.mjs', { silent: true })]
    for (const [text] of await Promise.all(children.map((child) => once(child.stdout, 'data')))) texts.push(text)
    for (const text of texts) parentPort.postMessage(String(text).trim())
  }
`

test('of a worker thread: the thread is a gap, its children have tapes and see no variable of ours', async () => {
  const cwd = folderWith({ 'agent.mjs': IN_THREAD })
  const { code, stdout, stderr } = await recorded(cwd)
  expect([code, stderr]).toEqual([0, expect.stringContaining('(7 tapes in the tree), 1 gap (worker: ')])
  expect(stdout.split('\n').slice(0, -1)).toEqual([
    '[]',
    ...Array(7).fill(expect.stringMatching(/^child .* \[\] undefined undefined$/)),
  ])
  const replay = await tree(cwd)
  expect(replay).toMatchObject({ verdict: 'unverified', tree_verdict: 'unverified' })
  const names = ['1.tape', ...[2, 3, 4, 5, 6, 7].map((n) => `1.${n}.tape`)]
  expect(replay.verdicts).toEqual(names.map((name) => [name, 'faithful']))
})

const LIBRARY = `
  import { record, replay, testbench } from 'reprise'
  import { execFile, spawnSync } from 'node:child_process'
  import { promisify } from 'node:util'
  const body = async () => [
    spawnSync(process.execPath, ['child.mjs'], { encoding: 'utf8' }).stdout,
    (await promisify(execFile)('sh', ['-c', process.execPath + ' child.mjs'])).stdout,
  ]
  const first = await record('run.tape', body, { onSummary: ({ childTapes }) => console.log(childTapes.length) })
  const { value, report } = await replay('run.tape', body)
  console.log(JSON.stringify(first) === JSON.stringify(value), report.verdict, report.unreplayed.tapes)
  await record('off.tape', body, { children: 'off', onSummary: ({ childTapes }) => console.log(childTapes) })
  const options = { tape: 'bench.tape', process: 'real', clock: 'paused', random: { seed: 1 } }
  for (const _ of [1, 2]) {
    const session = await testbench(options).activate()
    console.log(session.mode, (await body()).length)
    console.log((await session.close())?.unreplayed.tapes)
  }
`

test('of the library: record, testbench, and replay --tree of their tapes', async () => {
  const cwd = folderWith({ 'agent.mjs': LIBRARY })
  const { code, stdout, stderr } = await runChild(process.execPath, ['agent.mjs'], { cwd })
  const tapes = "[ '1.tape', '2.tape' ]"
  expect([code, stderr, stdout.split('\n')]).toEqual([
    0,
    '',
    ['2', `true faithful ${tapes}`, 'undefined', 'record 2', 'undefined', 'replay 2', tapes, ''],
  ])
  for (const tape of ['run.tape', 'bench.tape']) {
    const replay = await tree(cwd, tape)
    expect([replay.code, replay.verdict, replay.tree_verdict]).toEqual([0, 'unverified', 'faithful'])
    expect(replay.reasons).toEqual([expect.stringMatching(/^the tape is of a part of a process/)])
    expect(replay.verdicts).toEqual([
      ['1.tape', 'faithful'],
      ['2.tape', 'faithful'],
    ])
    expect(await reprise(['verify', tape], { cwd })).toMatchObject({ code: 0 })
  }
  expect(readdirSync(cwd).filter((name) => name.endsWith('.children'))).toEqual([
    'bench.tape.children',
    'run.tape.children',
  ])
})

test('of a test: an update replaces the tapes of its children with the tape', async () => {
  const cwd = folderWith({
    'agent.test.mjs': `
      import assert from 'node:assert'
      import { spawnSync } from 'node:child_process'
      import test from 'node:test'
      import { recorded } from 'reprise/node-test'
      test('starts children', recorded({ tape: 'test.tape' }, () => {
        for (let left = Number(process.env.COUNT); left > 0; left -= 1)
          assert.match(spawnSync(process.execPath, ['child.mjs'], { encoding: 'utf8' }).stdout, /^child /)
      }))
    `,
  })
  const run = (count: number, mode: string) =>
    runChild(process.execPath, ['agent.test.mjs'], {
      cwd,
      env: { PATH: process.env.PATH, COUNT: String(count), REPRISE_MODE: mode },
    })
  const tape = 'test.tape'
  expect(await run(2, 'record')).toMatchObject({ code: 0 })
  expect((await tree(cwd, tape)).verdicts).toHaveLength(2)
  expect(await run(1, 'update')).toMatchObject({ code: 0 })
  expect(await tree(cwd, tape)).toMatchObject({ code: 0, verdicts: [['1.tape', 'faithful']] })
  expect(await reprise(['verify', tape], { cwd })).toMatchObject({ code: 0 })
  expect(await run(1, 'replay')).toMatchObject({ code: 0 })
})
