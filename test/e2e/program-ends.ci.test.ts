/**
 * Recording does not change how a program ends: exit code, signal and output are those of the plain run, the
 * tape has its seal with the same end, and the replay is faithful. The first programs are in
 * program-ends.test.ts.
 */
import { createServer } from 'node:http'
import { test } from 'vitest'
import { listening } from '../support/listening.ts'
import { expectSameEnd, USE } from '../support/program-ends.ts'

test.each([
  [
    'every global and its prototype frozen',
    `
    for (const key of Reflect.ownKeys(globalThis)) {
      const value = globalThis[key]
      if (key === 'process' || value === globalThis || (typeof value !== 'object' && typeof value !== 'function') || value === null) continue
      Object.freeze(value)
      if (value.prototype) Object.freeze(value.prototype)
    }
    ${USE}`,
  ],
  [
    'frozen modules',
    `
    import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    for (const name of ['child_process', 'crypto', 'http', 'net', 'zlib', 'worker_threads', 'timers', 'timers/promises', 'os']) {
      Object.freeze(require(name))
    }
    Object.freeze(require('net').Socket.prototype)
    console.log(require('crypto').randomBytes(3).length, require('child_process').execSync('echo child').toString())`,
  ],
  [
    'a property that cannot be configured',
    `
    Object.defineProperty(Math, 'random', { value: Math.random, configurable: false, writable: false })
    ${USE}`,
  ],
  [
    'every global deleted',
    `
    import fs from 'node:fs'
    import http from 'node:http'
    const [log, exiting] = [console.log, process]
    for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name] } catch {}
    fs.writeFileSync('x', '1')
    log(fs.readFileSync('x', 'utf8'))
    http.get('http://127.0.0.1:1/').on('error', (error) => { log(error.code); exiting.exitCode = 5 })`,
  ],
  [
    'classes of JavaScript replaced',
    `
    const { log } = console
    for (const name of ['Array', 'Error', 'Map', 'Object', 'Promise', 'Set', 'Symbol', 'Uint8Array']) globalThis[name] = null
    log(typeof Math.random())
    setTimeout(() => process.exit(2), 1)`,
  ],
  [
    'a function for stacks that throws',
    `
    Error.prepareStackTrace = () => { throw new Error('no stacks') }
    await fetch('http://127.0.0.1:1/').catch((error) => console.log(error.name))
    process.exitCode = 4`,
  ],
  [
    'every function of fs replaced by one that throws',
    `
    import fs from 'node:fs'
    for (const name of Object.keys(fs)) if (typeof fs[name] === 'function') fs[name] = () => { throw new Error(name) }
    setTimeout(() => process.exit(8), 1)`,
  ],
  ['an exit code set in an exit handler', `process.on('exit', () => { process.exitCode = '7' })`],
  [
    'an exit handler that throws',
    `process.on('exit', () => { process.exitCode = 9; throw new Error('in exit') })`,
  ],
  [
    'an exit handler that throws, and the exception is handled',
    `
    process.on('uncaughtException', () => console.log('handled'))
    process.on('exit', () => { throw new Error('in exit') })`,
  ],
  [
    'a handler of exceptions that throws',
    `process.on('uncaughtException', () => { throw new Error('again') }); throw new Error('first')`,
  ],
  ['reallyExit', `process.on('exit', () => console.log('not emitted')); process.reallyExit(6)`],
  [
    'reallyExit replaced',
    `
    const real = process.reallyExit
    process.reallyExit = () => { ${USE}; real.call(process, 8) }
    process.exit(2)`,
  ],
  ['emit deleted', `delete process.emit; process.removeAllListeners(); ${USE}; process.exitCode = 2`],
  ['exit emitted by the program', `process.emit('exit', 5); setTimeout(() => ${USE}, 1)`],
  ['SIGKILL to itself in an exit handler', `process.on('exit', () => process.kill(process.pid, 'SIGKILL'))`],
])('%s', (_name, source) => expectSameEnd(source))

test('Error frozen before the first request', async () => {
  const server = createServer((_, response) => response.end('answer'))
  const { url, stop } = await listening(server)
  await expectSameEnd(`
    Object.freeze(Error)
    console.log(await (await fetch('${url}')).text())
    ${USE}`)
  await stop()
})
