/**
 * Programs print stacks: `console.error(error)` does. What stands in them must be the same in a replay,
 * frames of the recorder included.
 */
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const source = `
import { execFile, execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import http from 'node:http'
import { promisify } from 'node:util'

const show = (what, error) => console.log(what, error.stack, error.cause?.stack ?? '')
const here = (what) => show(what, new Error(what))
const called = (what, start) => new Promise((resolve) => start((...args) => resolve(here(what), ...args)))
try { fs.readFileSync('none/x') } catch (error) { show('readFileSync', error) }
try { fs.statSync('none/x') } catch (error) { show('statSync', error) }
try { execFileSync('false') } catch (error) { show('execFileSync', error) }
await readFile('none').catch((error) => show('readFile', error))
await open('none').catch((error) => show('open', error))
await promisify(execFile)('false').catch((error) => show('execFile', error))
await fetch('http://127.0.0.1:1/').catch((error) => show('refused', error))
await called('callback', (done) => fs.readFile('none', done))
await called('timer', (done) => setTimeout(done, 1))
await called('immediate', (done) => setImmediate(done))
await called('http', (done) => http.get('http://127.0.0.1:1/').on('error', done))
await called('response', (done) => http.get(process.env.SERVER, (response) => response.resume().on('end', done)))
await called('spawn', (done) => spawn('no-such-program').on('error', done))
const child = spawn('echo', ['x'])
await Promise.all([called('data', (done) => child.stdout.on('data', done)), called('close', (done) => child.on('close', done))])
for await (const chunk of (await fetch(process.env.SERVER)).body) here('chunk')
await crypto.subtle.digest('SHA-256', new Uint8Array(3)).then(() => here('subtle'))
process.on('exit', () => here('exit'))
setTimeout(() => { throw new Error('nobody catches this') }, 1)
`

test('a stack is the same in a replay, wherever the error was made', { timeout: 40_000 }, async () => {
  const program = await recordProgram(source, { SERVER: server.url })
  const replayed = await program.replay()
  expect(program.recorded.code).toBe(1)
  expect(program.recorded.stdout).toContain('Error: timer\n')
  expect(replayed.stdout).toBe(program.recorded.stdout)
  expect(replayed.stderr).toBe(program.recorded.stderr)
  expect(replayed.report.verdict).toBe('faithful')
})

const failures = `
import { execFileSync, execSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import { inspect } from 'node:util'

const fsp = fs.promises
const show = (error) => console.log(inspect(error))
fs.writeFileSync('file', '')
fs.mkdirSync('dir')
const calls = [['readFile', 'none'], ['readFile', 'dir'], ['readFile', 'file/x'], ['mkdir', 'dir'], ['rename', 'none', 'other'], ['writeFile', 'none/x', ''], ['readdir', 'none']]
for (const [name, ...args] of calls) {
  try { fs[name + 'Sync'](...args) } catch (error) { show(error) }
  await new Promise((done) => fs[name](...args, (error) => done(show(error))))
  try { await fsp[name](...args) } catch (error) { show(error) }
}
const inner = async () => { await stat('none') }
try { await inner() } catch (error) { show(error) }
await new Promise((done) => fs.createReadStream('none').on('error', (error) => done(show(error))))
const handle = await fsp.open('dir')
try { await handle.readFile() } catch ({ code }) { console.log(code) }
try { execFileSync('no-such-program', ['x']) } catch (error) { show(error) }
try { execSync('exit 5', { stdio: 'ignore' }) } catch ({ pid, ...error }) { show(error) }
show(spawnSync('no-such-program').error)
console.log(Object.keys(spawnSync('true')), Object.keys(spawnSync('no-such-program')))
`

test('a failure is printed as in plain Node, with those who wait for it', { timeout: 40_000 }, async () => {
  const program = await recordProgram(failures)
  const replayed = await program.replay()
  for (const name of ['file', 'dir']) rmSync(join(program.folder, name), { recursive: true })
  const plain = await runChild(process.execPath, ['agent.mjs'], { cwd: program.folder })
  expect(plain.stdout).toContain('at async inner (')
  expect(program.recorded).toEqual(plain)
  expect(replayed.stdout).toBe(plain.stdout)
  expect(replayed.report.verdict).toBe('faithful')
})

const refused = `
import http from 'node:http'
import net from 'node:net'

const failed = (emitter) => new Promise((resolve) => emitter.on('error', resolve))
console.log((await failed(net.connect(1, '127.0.0.1'))).stack)
console.log((await failed(http.get('http://127.0.0.1:1/'))).stack)
`

test('a failed connection has a stack without frames of the recorder: another build of it has other lines', async () => {
  const program = await recordProgram(refused)
  const line = 'Error: connect ECONNREFUSED 127.0.0.1:1\n'
  expect(program.recorded).toMatchObject({ code: 0, stdout: line.repeat(2), stderr: '' })
  const replayed = await program.replay()
  expect([replayed.report.verdict, replayed.stdout]).toEqual(['faithful', program.recorded.stdout])
})

test('frames of the recorder are left out where the package was moved after its build', async () => {
  const folder = tempFolder()
  const dist = join(folder, 'package/dist')
  cpSync(fileURLToPath(new URL('../../dist/entry', import.meta.url)), join(dist, 'entry'), {
    recursive: true,
  })
  writeFileSync(join(folder, 'package/package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'program.mjs'),
    `import fs from 'node:fs'
     try { fs.readFileSync({}) } catch (error) { console.log(error.stack) }`,
  )
  const register = pathToFileURL(join(dist, 'entry/register.js')).href
  const { stdout, stderr, code } = await runChild(process.execPath, ['--import', register, 'program.mjs'], {
    cwd: folder,
    env: { ...process.env, REPRISE_MODE: 'record', REPRISE_TAPE: join(folder, 'run.tape') },
  })
  expect(code, stderr).toBe(0)
  expect(existsSync(join(folder, 'run.tape'))).toBe(true)
  expect(stdout).toContain('program.mjs')
  expect(stdout).not.toContain('engine.cjs')
})
