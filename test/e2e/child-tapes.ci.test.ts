/** Node children of a recorded program: each has a tape of its own, and the commands cover the tree. */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const CHILD = `
  import { spawnSync } from 'node:child_process'
  const [name, nested] = process.argv.slice(2)
  console.log(name, Math.random(), Date.now() > 0, /child.cjs/.test(process.env.NODE_OPTIONS), 'REPRISE_TAPE' in process.env)
  if (nested) console.log(spawnSync(process.execPath, ['child.mjs', 'nested'], { input: '', encoding: 'utf8' }).stdout)
  if (process.send) {
    process.on('message', (message) => {
      process.send({ echo: message, at: Date.now() })
      if (message === 'end') process.disconnect()
    })
  } else for await (const chunk of process.stdin) console.log('stdin', String(chunk))
`
const MAIN = `
  import { exec, fork, spawn, spawnSync } from 'node:child_process'
  import { once } from 'node:events'
  const piped = spawn(process.execPath, ['child.mjs', 'piped', 'nested'], { stdio: ['pipe', 'inherit', 'inherit'], env: {} })
  piped.stdin.end('hello')
  console.log(await once(piped, 'close'))
  const forked = fork('child.mjs', ['forked'])
  forked.on('message', (message) => console.log(message))
  forked.send('x')
  forked.send('end')
  console.log(await once(forked, 'close'))
  console.log(spawnSync(process.execPath, ['child.mjs', 'sync'], { input: 'abc', encoding: 'utf8' }).stdout)
  const shell = exec('echo a | node child.mjs one; echo b | node child.mjs two')
  shell.stdout.pipe(process.stdout)
  console.log(await once(shell, 'close'))
`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

async function record(folder: string, ...options: string[]) {
  const command = ['--', process.execPath, 'main.mjs']
  return reprise(['record', '--out', 'run.tape', ...options, ...command], {
    cwd: folder,
    env: { ...process.env, SERVER_URL: server.url },
  })
}

const tapesIn = (folder: string): string[] =>
  readdirSync(join(folder, 'run.tape.children'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.tape'))
    .sort()

test('spawn, fork, spawnSync, a shell, and children of children: replay --tree is faithful', async () => {
  const folder = folderWith({ 'main.mjs': MAIN, 'child.mjs': CHILD })
  const recorded = await record(folder)
  expect([recorded.code, recorded.stderr]).toEqual([0, ''])
  // Nothing of the recorder is visible to a child.
  expect(recorded.stdout.match(/true false false/g)).toHaveLength(6)
  const names = ['1.tape', '1.tape.children/1.tape', '2.tape', '3.tape', '4.2.tape', '4.tape']
  expect(tapesIn(folder)).toEqual(names)
  const tape = readFileSync(join(folder, 'run.tape'), 'utf8')
  expect(tape.match(/"tape":"\d+\.tape"/g)).toEqual([
    '"tape":"1.tape"',
    '"tape":"2.tape"',
    '"tape":"3.tape"',
    '"tape":"4.tape"',
  ])
  const nested = readFileSync(join(folder, 'run.tape.children/1.tape.children/1.tape'), 'utf8')
  expect(nested).toContain('"child_of":{"tape":"1.tape","child":1}')
  for (const name of names) expect(statSync(join(folder, 'run.tape.children', name)).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'run.tape.children')).mode & 0o777).toBe(0o700)
  const replay = await reprise(['replay', 'run.tape', '--tree', '--report', 'report.json'], { cwd: folder })
  expect([replay.code, replay.stderr, replay.stdout]).toEqual([0, '', recorded.stdout])
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  expect([report.verdict, report.tree_verdict, report.missing]).toEqual(['faithful', 'faithful', []])
  expect(report.children.map((child: { report: { verdict: string } }) => child.report.verdict)).toEqual(
    names.map(() => 'faithful'),
  )
  const verify = await reprise(['verify', 'run.tape'], { cwd: folder })
  expect([verify.code, verify.stdout.match(/whole/g)?.length]).toEqual([0, 7])
  const inspect = await reprise(['inspect', 'run.tape', '--json'], { cwd: folder })
  expect(JSON.parse(inspect.stdout).child_tapes).toHaveLength(6)

  // A changed, a missing and a damaged tape of a child are findings.
  const copies = [
    await reprise(['repair', 'run.tape', '--out', 'repaired.tape'], { cwd: folder }),
    await reprise(['scrub', 'run.tape', '--out', 'clean.tape'], { cwd: folder }),
  ]
  expect(copies.map(({ code }) => code)).toEqual([0, 0])
  for (const copy of ['repaired.tape', 'clean.tape']) {
    expect((await reprise(['verify', copy], { cwd: folder })).code).toBe(0)
    expect((await reprise(['fidelity', 'run.tape', copy], { cwd: folder })).code).toBe(0)
  }
  // A whole tape, with a seal of its own, in the place of another.
  const other = readFileSync(join(folder, 'run.tape.children/3.tape'))
  writeFileSync(join(folder, 'clean.tape.children/2.tape'), other)
  appendFileSync(join(folder, 'clean.tape.children/4.tape'), '{"type":"rec')
  rmSync(join(folder, 'clean.tape.children/1.tape'))
  const findings = await reprise(['verify', 'clean.tape'], { cwd: folder })
  expect(findings.code).toBe(2)
  expect(findings.stdout).toContain(
    '2.tape: the tape is not the one that the seal of its parent names [child-changed]',
  )
  expect(findings.stdout).toContain('the tape of a child is missing: 1.tape [child-missing]')
  expect(findings.stdout).toContain('child 4.tape: not whole')
  const fidelity = await reprise(['fidelity', 'run.tape', 'clean.tape'], { cwd: folder })
  expect(fidelity.code).toBe(2)
  expect(fidelity.stderr).toContain('child 1.tape: only run.tape has its tape')
  const broken = await reprise(['replay', 'clean.tape', '--tree'], { cwd: folder })
  expect(broken.code).toBe(2)
  expect(broken.stderr).toContain('child 1.tape: its tape is missing')
})

test('--children off records the program alone', async () => {
  const folder = folderWith({ 'main.mjs': MAIN, 'child.mjs': CHILD })
  expect((await record(folder, '--children', 'off')).code).toBe(0)
  expect(existsSync(join(folder, 'run.tape.children'))).toBe(false)
  expect(readFileSync(join(folder, 'run.tape'), 'utf8')).not.toContain('"tape":"')
})

test('a child that cannot be recorded is named', async () => {
  const folder = folderWith({
    'child.mjs': 'console.log(1)',
    'main.mjs': `
      import { spawnSync } from 'node:child_process'
      spawnSync(process.execPath, ['--permission', 'child.mjs'])
      spawnSync('sh', ['-c', 'NODE_OPTIONS= node child.mjs'])
      spawnSync(process.execPath, ['--version'])
      spawnSync(process.execPath, ['child.mjs', '--permission-mode', 'x', '--permission'])
      console.log('done')`,
  })
  const recorded = await reprise(
    ['--summary', 'record', '--out', 'run.tape', '--', process.execPath, 'main.mjs'],
    { cwd: folder },
  )
  expect(recorded.code).toBe(0)
  expect(recorded.stderr).toContain(
    '4 children (1 tape in the tree, 2 of Node without a tape: the Node child was not recorded',
  )
  expect(tapesIn(folder)).toEqual(['4.tape'])
  const replay = await reprise(['replay', 'run.tape', '--tree'], { cwd: folder })
  expect(replay.code).toBe(0)
})

test('the summary names the tape of the child that made the model calls', async () => {
  const folder = folderWith({
    'child.mjs': `
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
      const answer = await fetch(process.env.SERVER_URL + '/v1/chat/completions', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      await answer.text()`,
    'main.mjs': `
      import { execFileSync } from 'node:child_process'
      execFileSync(process.execPath, ['child.mjs'])`,
  })
  const recorded = await reprise(
    ['--summary', 'record', '--out', 'run.tape', '--', process.execPath, 'main.mjs'],
    {
      cwd: folder,
      env: { ...process.env, SERVER_URL: server.url },
    },
  )
  expect(recorded.stderr).toContain(
    'it has no model call, its children made 1: run.tape.children/1.tape; replay it: reprise replay run.tape --tree',
  )
})

const POOL = `
  import { fork } from 'node:child_process'
  import { once } from 'node:events'
  const children = Array.from({ length: 16 }, (_, number) => fork('child.mjs', [String(number)]))
  await Promise.all(children.map((child) => once(child, 'message')))
  console.log('all ready')
  if (process.argv[2] === 'parent') process.kill(process.pid, 'SIGKILL')
  if (process.argv[2] === 'child') children[5].kill('SIGKILL')
  for (const child of children) child.send('work', () => {})
  await Promise.all(children.map((child) => child.exitCode === null && child.signalCode === null && once(child, 'exit')))
`
const WORKER = `
  process.on('message', () => {
    for (let n = 0; n < 200; n += 1) Math.random()
    process.send({ done: process.argv[2] }, () => process.exit(0))
  })
  process.on('disconnect', () => process.exit(0))
  process.send('ready')
`

/** The verdict of each tape of the tree that is not faithful, and that of the tree. */
async function replayTree(folder: string) {
  const words = ['replay', 'run.tape', '--tree', '--report', 'report.json']
  const { code, stdout } = await reprise(words, { cwd: folder })
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  const children: readonly { tape: string; report: { verdict: string; reasons: string[] } }[] =
    report.children
  expect(children).toHaveLength(16)
  const others = children.flatMap(({ tape, report: { verdict, reasons } }) =>
    verdict === 'faithful' ? [] : [[tape, verdict, ...reasons]],
  )
  return { code, stdout, own: report.verdict, tree: report.tree_verdict, others }
}

test.each(['nobody', 'child', 'parent'])(
  '16 children in parallel, killed is %s: every tape is whole, and the tree replays',
  async (killed) => {
    const folder = folderWith({ 'main.mjs': POOL, 'child.mjs': WORKER })
    const command = ['--', process.execPath, 'main.mjs', killed]
    const recorded = await reprise(['record', '--out', 'run.tape', ...command], { cwd: folder })
    expect(recorded.code).toBe(killed === 'parent' ? 137 : 0)
    await expect.poll(() => tapesIn(folder).length, { timeout: 20_000 }).toBe(16)
    const faithful = { stdout: 'all ready\n', own: 'faithful', tree: 'faithful', others: [] }
    if (killed !== 'parent') {
      const verify = await reprise(['verify', 'run.tape'], { cwd: folder })
      expect([verify.code, verify.stdout.match(/: whole/g)?.length]).toEqual([0, 17])
      expect(verify.stdout.includes('note: 6.tape: the child was killed')).toBe(killed === 'child')
      const cut = ['6.tape', 'unverified', 'the tape has no seal: its end is missing']
      expect(await replayTree(folder)).toEqual(
        killed === 'nobody'
          ? { ...faithful, code: 0 }
          : { ...faithful, code: 2, tree: 'unverified', others: [cut] },
      )
      return
    }
    // The children outlive their parent, and seal their tapes.
    const sealed = (): number =>
      tapesIn(folder).filter((name) =>
        readFileSync(join(folder, 'run.tape.children', name), 'utf8').includes('"tape_seal"'),
      ).length
    await expect.poll(sealed, { timeout: 30_000 }).toBe(16)
    for (const name of tapesIn(folder))
      expect((await reprise(['verify', join('run.tape.children', name)], { cwd: folder })).code).toBe(0)
    expect(await replayTree(folder)).toEqual({ ...faithful, code: 137 })
  },
)
