/** Programs that start themselves again: the tape is that of the child, which is the program. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const AGENT = `
  console.log('agent', Date.now(), process.execArgv.join(' '), process.argv.slice(2).join(' '), typeof process.send)
  console.log(await (await fetch(process.env.SERVER_URL + '/json')).text())
  if (process.send) await new Promise((done) => {
    process.on('message', (message) => {
      console.log('message', message.greeting, Math.random())
      process.send({ seen: message.greeting }, () => {
        process.removeAllListeners('message')
        done()
      })
    })
    process.send('ready')
  })
  process.exitCode = 3
`
const FLAGS = "[...process.execArgv, '--max-old-space-size=512', process.argv[1], ...process.argv.slice(2)]"
const ENV = "env: { ...process.env, AGENT_NO_RELAUNCH: 'true' }"
const LAUNCHERS = {
  spawn: `
    const child = spawn(process.execPath, ${FLAGS}, { stdio: 'inherit', ${ENV} })
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
    child.on('close', (code) => process.exit(code))`,
  'spawn with a channel': `
    const child = spawn(process.execPath, ${FLAGS}, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], ${ENV} })
    child.on('message', (message) => message === 'ready' && child.send({ greeting: 'hello' }))
    child.on('close', (code) => process.exit(code))`,
  spawnSync: `process.exit(spawnSync(process.execPath, ${FLAGS}, { stdio: 'inherit', ${ENV} }).status)`,
  execve: `process.execve(process.execPath, [process.execPath, ...${FLAGS}], { ...process.env, AGENT_NO_RELAUNCH: 'true' })`,
} as const

async function expectChildOnTape(launcher: keyof typeof LAUNCHERS, node: string): Promise<void> {
  const folder = tempFolder()
  const source = `
    import { spawn, spawnSync } from 'node:child_process'
    if (!process.env.AGENT_NO_RELAUNCH) { ${LAUNCHERS[launcher]} } else { ${AGENT} }`
  writeFileSync(join(folder, 'agent.mjs'), source)
  const env = { ...process.env, SERVER_URL: server.url }
  const options = { cwd: folder, env }
  const recorded = await reprise(['record', '--out', 'run.tape', '--', node, 'agent.mjs', 'a', 'b'], options)
  expect([recorded.code, recorded.stderr]).toEqual([3, ''])
  expect(recorded.stdout).toContain('--max-old-space-size=512 a b')
  const tape = readFileSync(join(folder, 'run.tape'), 'utf8')
  expect(tape).toContain('/json')
  expect(tape).toContain('"tape_seal"')
  const connections = server.connections()
  for (const round of [1, 2]) {
    const replay = await reprise(['replay', 'run.tape', '--report', `report-${round}.json`], { cwd: folder })
    expect([replay.code, replay.stderr]).toEqual([3, ''])
    expect(replay.stdout).toBe(recorded.stdout)
    expect(JSON.parse(readFileSync(join(folder, `report-${round}.json`), 'utf8')).verdict).toBe('faithful')
  }
  expect(server.connections()).toBe(connections)
}

test.each(['spawn', 'spawn with a channel', 'spawnSync'] as const)('%s', (launcher) =>
  expectChildOnTape(launcher, process.execPath),
)

test('process.execve under node24', (context) => {
  const node = newerNode('node24')
  if (node === null) return context.skip('node24')
  return expectChildOnTape('execve', node)
})

test('process.execve of another program ends the tape there, with a gap', async (context) => {
  const node = newerNode('node24')
  if (node === null) return context.skip('node24')
  const folder = tempFolder()
  writeFileSync(
    join(folder, 'agent.mjs'),
    `console.log(Date.now()); process.execve('/bin/echo', ['echo', 'other'], {})`,
  )
  const recorded = await reprise(['record', '--out', 'run.tape', '--', node, 'agent.mjs'], { cwd: folder })
  expect([recorded.code, recorded.stderr]).toEqual([0, ''])
  expect(recorded.stdout).toMatch(/^\d+\nother\n$/)
  const replay = await reprise(['replay', 'run.tape', '--report', 'report.json'], { cwd: folder })
  expect(replay.stdout).toBe(recorded.stdout.replace('other\n', ''))
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  expect([report.verdict, replay.code]).toEqual(['unverified', 2])
})

test('a child of the same folder that is another program is a child', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'package.json'), '{ "name": "agents", "type": "module", "bin": "agent.js" }')
  writeFileSync(join(folder, 'worker.js'), 'console.log("worker")')
  writeFileSync(
    join(folder, 'agent.js'),
    `import { spawnSync } from 'node:child_process'
    spawnSync(process.execPath, ['worker.js'], { stdio: 'inherit' })
    console.log('agent')`,
  )
  await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.js'], { cwd: folder })
  const tape = readFileSync(join(folder, 'run.tape'), 'utf8')
  expect(tape).toContain('"script":"agent.js"')
  expect(tape).toContain('"process_spawn"')
})

test.each([
  ['with an argument', "process.argv[2] === 'worker'", "['worker']"],
  ['with nothing but a channel', 'process.send !== undefined', '[]'],
])('a program that starts itself as a worker, %s, is the program', async (_how, isWorker, args) => {
  const folder = tempFolder()
  writeFileSync(
    join(folder, 'agent.mjs'),
    `import { fork } from 'node:child_process'
    if (${isWorker}) process.on('message', (n) => { process.send(n * 2); process.disconnect() })
    else {
      const worker = fork(process.argv[1], ${args})
      worker.send(21)
      console.log(await new Promise((done) => worker.on('message', done)), Date.now())
    }`,
  )
  const recorded = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
  })
  expect(recorded.code).toBe(0)
  expect(recorded.stdout).toMatch(/^42 \d+\n$/)
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout])
})
