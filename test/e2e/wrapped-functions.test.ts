/**
 * User code that Node's own implementation calls: wrappers that a program puts on functions of Node's
 * modules.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { recordProgram } from '../support/recorded-program.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')

/** The smallest program: what graceful-fs does. */
const GRACEFUL = `
  const fs = require('fs')
  const close = fs.closeSync
  let closed = 0
  fs.closeSync = function (fd) {
    closed += 1
    const result = close.call(fs, fd)
    Date.now()
    return result
  }
  fs.writeFileSync('a.txt', Buffer.from('one'))
  fs.appendFileSync('a.txt', 'two')
  console.log(fs.readFileSync('a.txt').toString(), fs.readFileSync('a.txt', 'latin1'), closed)
  setTimeout(() => console.log(Date.now()), 5)
`

test('a wrapper on fs.closeSync that reads the clock shifts no value', async () => {
  const program = await recordProgram(GRACEFUL, {}, 'agent.cjs')
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const replay = await program.replay()
  expect(replay).toMatchObject({ code: 0, stderr: '', stdout: program.recorded.stdout })
  expect(replay.report).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    unused: [],
    clock_reads: { missing: 0, extra: 0 },
  })
})

/** Wrappers that run equally often in both modes. */
const COUNTED = [
  ...[
    'openSync',
    'readSync',
    'writeSync',
    'closeSync',
    'readFileSync',
    'writeFileSync',
    'appendFileSync',
    'lstatSync',
    'open',
    'write',
    'access',
  ],
].map((name) => `fs.${name}`)

test('wrappers on every function of six modules', async () => {
  const env = {
    MODULES: 'fs,net,http,child_process,zlib,crypto',
    SERVER_URL: `${server.url}/json`,
    COUNTED: COUNTED.join(','),
  }
  const child = { 'wrapped-child.cjs': fixture('wrapped-child.cjs') }
  const program = await recordProgram(fixture('wrapped-functions.cjs'), env, 'agent.cjs', [], child)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout.split('\n').length).toBeGreaterThan(50)
  const replay = await program.replay()
  expect(replay).toMatchObject({ stdout: program.recorded.stdout, stderr: '' })
  expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
})

const NETWORK =
  'http2 https dns dns.promises tls timers timers/promises dgram readline os async_hooks stream events'
const EMITTERS = 'events.prototype stream.Readable.prototype stream.Writable.prototype'
const CLASSES = 'tls.TLSSocket.prototype tls.Server.prototype https.Server.prototype dgram.Socket.prototype'

test.each([
  ['functions of modules', NETWORK],
  ['methods of emitters and streams', EMITTERS],
  ['methods of sockets', CLASSES],
])('wrappers on %s of the network, timers and streams', async (_what, owners) => {
  const { key, cert } = selfSigned()
  const env = { OWNERS: owners.split(' ').join(',') }
  const files = { 'key.pem': key, 'cert.pem': cert }
  const program = await recordProgram(fixture('wrapped-emitters.cjs'), env, 'agent.cjs', [], files)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout.split('\n')).toHaveLength(15)
  const replay = await program.replay()
  expect(replay).toMatchObject({ stdout: program.recorded.stdout, stderr: '' })
  expect(replay.report).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    clock_reads: { missing: 0, extra: 0 },
  })
})

/** What APM agents do: methods of sockets, servers and messages are replaced, and each reads the clock. */
const METHODS = `
  const net = require('net')
  const http = require('http')
  const classes = [net.Socket, net.Server, http.Server, http.ClientRequest, http.OutgoingMessage, http.Agent]
  for (const { prototype } of classes) {
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value !== 'function' || !writable || name === 'constructor') continue
      prototype[name] = function (...args) {
        Date.now()
        Math.random()
        return value.apply(this, args)
      }
    }
  }
  const server = http.createServer((request, response) => request.resume().on('end', () => response.end('yes')))
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    const request = http.request({ port, host: '127.0.0.1', method: 'POST', agent: false }, (response) => {
      response.on('data', (bytes) => console.log(String(bytes))).on('end', () => server.close(raw))
    })
    request.end('body')
  })
  function raw() {
    const other = net.createServer((socket) => socket.end('bye')).listen(0, '127.0.0.1', () => {
      const socket = net.connect(other.address().port, '127.0.0.1')
      socket.setKeepAlive(true).on('data', (bytes) => console.log(String(bytes)))
      socket.on('close', () => other.close(() => console.log('closed', Date.now(), Math.random())))
    })
  }
`

test('wrappers on the methods of sockets and servers: those of the recorder itself leave no record', async () => {
  const program = await recordProgram(METHODS, {}, 'agent.cjs')
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout).toMatch(/^yes\nbye\nclosed /)
  const replay = await program.replay()
  expect(replay).toMatchObject({ stdout: program.recorded.stdout, stderr: '' })
  expect(replay.report).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    clock_reads: { missing: 0, extra: 0 },
  })
})

test("the folder that Node's compile cache asks for is no read of the program", async () => {
  const program = await recordProgram(
    `
    require('module').enableCompileCache?.()
    require('fs').readFileSync('agent.cjs')
    console.log(require('os').tmpdir(), Date.now())`,
    {},
    'agent.cjs',
  )
  const replay = await program.replay()
  expect([replay.report.verdict, replay.stdout]).toEqual(['faithful', program.recorded.stdout])
})
