/**
 * The second wall: Node's permission model. What gets past the patches of a replay, because it took Node's
 * functions before they were in place, is denied by Node itself. Stand-in children work behind the wall.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Runs before Reprise: its functions are Node's own. */
const EARLY = `
  import childProcess from 'node:child_process'
  import fs from 'node:fs'
  import net from 'node:net'
  import { Worker } from 'node:worker_threads'
  const { spawnSync } = childProcess
  const { writeFileSync } = fs
  const { connect } = net
  globalThis.early = { spawnSync, writeFileSync, connect, Worker }
`

const ESCAPES = `
  const { spawnSync, writeFileSync, Worker } = globalThis.early
  const tried = [
    () => writeFileSync('escaped-write', ''),
    () => { const { error } = spawnSync('touch', ['escaped-child']); if (error) throw error },
    () => new Worker("require('node:fs').writeFileSync('escaped-worker', '')", { eval: true }),
  ]
  for (const each of tried) try { each() } catch {}
  console.log('tried')
`

const CHILDREN = `
  import { execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process'
  import { readFileSync, writeFileSync } from 'node:fs'
  import { promisify } from 'node:util'
  console.log(spawnSync('echo', ['a'], { encoding: 'utf8' }), spawnSync('cat', { input: 'given' }).stdout + '')
  console.log(execSync('echo to stderr >&2; echo out') + '')
  for (const failing of [
    () => execFileSync('false', ['x']),
    () => execSync('echo bad >&2; exit 3', { stdio: 'pipe' }),
    () => execFileSync('no-such-program'),
    () => execSync('exit 4', { encoding: 'utf8' }),
    () => spawnSync('true', { maxBuffer: -1 }),
    () => spawnSync('true', { input: 5 }),
    () => spawnSync(''),
  ])
    try { failing() } catch (error) { console.log(error.message, error.code, error.status, Object.keys(error).sort()) }
  const missing = spawnSync('no-such-program', ['a'])
  console.log(missing.error.message, missing.error.spawnargs, missing.status, missing.output)
  console.log(spawnSync('sh', ['-c', 'echo inherited; kill $$'], { stdio: 'inherit' }))
  console.log(await promisify(execFile)('printf', ['x y']))
  const cat = spawn('cat')
  cat.stdin.write('one ', () => console.log('written'))
  cat.stdin.end('two')
  for await (const bytes of cat.stdout) console.log(String(bytes))
  const child = fork('./child.mjs')
  child.on('message', (message) => { console.log(message); child.send('end') })
  await new Promise((resolve) => child.on('exit', resolve))
  writeFileSync('made.txt', 'made')
  console.log(readFileSync('made.txt', 'utf8'), process.execArgv, process.env.NODE_OPTIONS)
`
/** Each error is swallowed. */
const DATAGRAM = `
  import { createSocket } from 'node:dgram'
  const socket = createSocket('udp4')
  const symbol = Object.getOwnPropertySymbols(socket).find((each) => String(each).includes('state'))
  const { handle } = socket[symbol]
  try { process.permission.drop?.('fs.write') } catch {}
  try { handle.bind('127.0.0.1', 0, 0) } catch {}
  try { new handle.constructor().send({}, [Buffer.from('x')], 1, 9, '127.0.0.1', false) } catch {}
`
const CHILD = `process.send?.({ hello: 1 }); process.on('message', () => process.exit(0))`

describe.each(['node22', 'node24', 'node26'])('%s', (name) => {
  const node = newerNode(name)
  const inFolder = async (source: string, early: boolean) => {
    const cwd = tempFolder()
    writeFileSync(join(cwd, 'agent.mjs'), source)
    writeFileSync(join(cwd, 'child.mjs'), CHILD)
    writeFileSync(join(cwd, 'early.mjs'), EARLY)
    const env = early
      ? { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'early.mjs'))}` }
      : process.env
    const recorded = await reprise(['record', '--out', 'run.tape', '--', node ?? '', 'agent.mjs'], {
      cwd,
      env,
    })
    const replay = async (...options: string[]) => {
      const words = [
        'replay',
        'run.tape',
        '--report',
        'report.json',
        ...options,
        '--',
        node ?? '',
        'agent.mjs',
      ]
      const run = await reprise(words, { cwd, env })
      return { ...run, report: JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) }
    }
    return { cwd, recorded, replay }
  }

  test('children behind the wall are those of the recording', async (context) => {
    if (node === null) return context.skip(name)
    const { cwd, recorded, replay } = await inFolder(CHILDREN, false)
    rmSync(join(cwd, 'made.txt'))
    const run = await replay()
    expect(run).toMatchObject({ code: 0, stdout: recorded.stdout })
    expect(run.report).toMatchObject({
      verdict: 'faithful',
      walls: { files: true, children: true, workers: true, addons: true, network: name === 'node26' },
    })
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false)
    expect((await replay('--no-wall')).report).toMatchObject({ verdict: 'faithful', walls: { files: false } })
  })

  test('the native handle of a datagram socket is refused behind the wall, and named', async (context) => {
    if (node === null) return context.skip(name)
    const { cwd, replay } = await inFolder(`await import(['./', 'child', '.mjs'].join(''))`, false)
    writeFileSync(join(cwd, 'child.mjs'), DATAGRAM)
    const { report, code } = await replay()
    expect([code, report.walls.files]).toEqual([2, true])
    const messages = report.divergences.map(({ message }: { message: string }) => message).join('\n')
    expect(messages).toContain('UDP.bind')
    expect(messages).toContain('UDP.send')
    if (name === 'node26') expect(messages).toContain('process.permission.drop')
  })

  test('what took functions of Node before Reprise is denied by Node', async (context) => {
    if (node === null) return context.skip(name)
    const { cwd, replay } = await inFolder(ESCAPES, true)
    const made = ['escaped-write', 'escaped-child', 'escaped-worker'].map((file) => join(cwd, file))
    for (const file of made) rmSync(file, { force: true })
    const { report, code } = await replay()
    expect(report).toMatchObject({ walls: { files: true, children: true, workers: true } })
    // Node 22 publishes no denials.
    if (name !== 'node22') {
      expect([code, report.verdict]).toEqual([2, 'diverged'])
      const messages = report.divergences.map(({ message }: { message: string }) => message).join('\n')
      expect(messages).toMatch(/FileSystemWrite .*escaped-write/)
      expect(messages).toMatch(/ChildProcess touch/)
      expect(messages).toMatch(/WorkerThreads/)
    }
    expect(made.filter((file) => existsSync(file))).toEqual([])
    // Without the wall they get out: the test would show it.
    await replay('--no-wall')
    expect(made.filter((file) => existsSync(file)).length).toBeGreaterThan(1)
  })
})
