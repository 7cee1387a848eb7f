/**
 * Faults over every kind of connection: a reset in the middle of a message, an end there, a server that is gone, a
 * certificate that is not trusted. A replay has the same error codes and messages in the same order.
 */
import http from 'node:http'
import http2 from 'node:http2'
import net, { type AddressInfo, type Server } from 'node:net'
import tls from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { selfSigned } from '../support/certificate.ts'
import { needs } from '../support/outside.ts'
import { recordProgram } from '../support/recorded-program.ts'

const servers: Server[] = []
const sockets = new Set<net.Socket>()
const env: Record<string, string> = {}
const MESSAGE = Buffer.alloc(200_000, 'm')
/** As many bytes of the server pass before the fault: the handshake, and a part of the message. */
const PASSED = 30_000

async function listen(server: Server): Promise<string> {
  servers.push(server)
  server.on('connection', (socket: net.Socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return String((server.address() as AddressInfo).port)
}

/** Passes bytes on in both directions, until the server has sent too many. */
function proxy(port: string, fault: (socket: net.Socket) => void): Server {
  return net.createServer((socket) => {
    const behind = net.connect(Number(port), '127.0.0.1').on('error', () => undefined)
    sockets.add(behind)
    socket.pipe(behind)
    let left = PASSED
    behind.on('data', (bytes: Buffer) => {
      if (left <= 0) return
      const part = bytes.subarray(0, left)
      left -= part.length
      socket.write(part, () => left <= 0 && setImmediate(fault, socket))
    })
    behind.on('close', () => left > 0 && socket.end())
  })
}

const BEHIND: Readonly<Record<string, () => Server>> = {
  TCP: () => net.createServer((socket) => socket.write(MESSAGE)),
  TLS: () => tls.createServer(selfSigned(), (socket) => socket.on('error', () => undefined).write(MESSAGE)),
  HTTP1: () => http.createServer((_request, response) => response.end(MESSAGE)),
  HTTP2: () => {
    const server = http2.createServer((_request, response) => response.end(MESSAGE))
    return server.on('sessionError', () => undefined)
  },
  WEBSOCKET: () => {
    const server = http.createServer()
    new WebSocketServer({ server }).on('connection', (socket) =>
      socket.on('error', () => undefined).send(MESSAGE),
    )
    return server
  },
}

beforeAll(async () => {
  for (const [name, make] of Object.entries(BEHIND)) {
    const port = await listen(make())
    env[`${name}_RESET`] = await listen(proxy(port, (socket) => socket.resetAndDestroy()))
    env[`${name}_END`] = await listen(proxy(port, (socket) => socket.end()))
    env[`${name}_PLAIN`] = port
  }
  const gone = net.createServer()
  env.GONE = await listen(gone)
  await new Promise((resolve) => gone.close(resolve))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
})

const module = (name: string): string => JSON.stringify(import.meta.resolve(name))
const HEAD = `
const { env } = process
const print = (...words) => console.log(...words)
const watch = (name, stream, done) => { let bytes = 0
  stream.on('error', ({ code, message }) => print(name, 'error', code, message)).on('end', () => print(name, 'end'))
  if (stream.on('data', (chunk) => { bytes += chunk.length }) && done) stream.on('close', () => { print(name, 'close', bytes > 0); done() }) }
const wait = (start) => new Promise(start)
`
/** Each calls `open(name, port)` for every fault, and prints what happens. */
const PROGRAMS: Readonly<Record<string, string>> = {
  TCP: `import net from 'node:net'
    const open = (name, port) => wait((done) => watch(name, net.connect(port, '127.0.0.1'), done))`,
  TLS: `import tls from 'node:tls'
    const open = (name, port) => wait((done) => watch(name, tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: name === 'untrusted' }), done))
    await open('untrusted', env.TLS_PLAIN)`,
  HTTP1: `import http from 'node:http'
    const open = (name, port) => wait((done) => http.get({ port, host: '127.0.0.1', agent: false }, (response) => { response.on('aborted', () => print(name, 'aborted')); watch(name, response) })
      .on('error', ({ code, message }) => print(name, 'request', code, message)).on('close', () => { print(name, 'closed'); done() }))
    for (const name of ['RESET', 'END']) print('fetch', await fetch('http://127.0.0.1:' + env['HTTP1_' + name]).then((response) => response.text()).catch(({ message, cause }) => message + ' ' + cause?.code + ' ' + cause?.message))
    print('fetch', await fetch('http://127.0.0.1:' + env.GONE).catch(({ message, cause }) => message + ' ' + cause?.code))`,
  HTTP2: `import http2 from 'node:http2'
    const open = (name, port) => wait((done) => { const session = http2.connect('http://127.0.0.1:' + port), stream = session.request()
      session.on('error', ({ code, message }) => print(name, 'session', code, message)).on('close', () => { print(name, 'session close'); done() })
      watch(name, stream); stream.on('close', () => { print(name, 'stream close', stream.rstCode); session.close() }) })`,
  WEBSOCKET: `import { WebSocket } from ${module('ws')}
    const open = (name, port) => wait((done) => new WebSocket('ws://127.0.0.1:' + port).on('open', () => print(name, 'open')).on('message', (data) => print(name, data.length))
      .on('error', ({ code, message }) => print(name, 'error', code, message)).on('close', (code) => { print(name, 'close', code); done() }))`,
}

test.for(Object.entries(PROGRAMS))('%s', async ([name, source], context) => {
  needs(context, 'openssl')
  const program = await recordProgram(
    `${source.replace('\n', `\n${HEAD}`)}
for (const fault of ['RESET', 'END']) await open(fault.toLowerCase(), env['${name}_' + fault])
await open('gone', env.GONE)
`,
    env,
  )
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = program.recorded
  expect(stdout).toMatch(/^gone .*ECONNREFUSED connect ECONNREFUSED 127\.0\.0\.1:\d+$/m)
  if (name === 'TLS') expect(stdout).toMatch(/^untrusted error DEPTH_ZERO_SELF_SIGNED_CERT/m)
  // The operating system reports a reset as ECONNRESET or, sometimes, as an end: the replay repeats what it was.
  expect(stdout).toMatch(/^reset /m)
  const replay = await program.replay({ env: { PATH: process.env.PATH } })
  expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(replay.stdout).toBe(stdout)
})
