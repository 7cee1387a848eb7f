/**
 * What crosses the network and is not captured: a gap in a recording, which runs as ever; refused in a replay,
 * and said so.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import type net from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const servers: net.Server[] = []
const sockets = new Set<net.Socket>()
const ports: Record<string, string> = {}
beforeAll(async () => {
  const add = async (name: string, server: net.Server): Promise<void> => {
    servers.push(server)
    server.on('connection', (socket: net.Socket) => sockets.add(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports[name] = String((server.address() as AddressInfo).port)
  }
  await add(
    'HTTP2',
    http2.createServer((_request, response) => void response.end('x')),
  )
  const plain = http.createServer((_request, response) => void response.end('plain'))
  await add('PLAIN', plain)
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
})

const SAY =
  'const said = (value) => console.log(JSON.stringify(value instanceof Error ? { code: value.code, message: value.message.split("\\n")[0] } : value));'
const SOCKET = `${SAY} import net from 'node:net'; import http from 'node:http';`

const CROSSINGS: readonly (readonly [what: string, source: string, recorded: string, gap: RegExp])[] = [
  [
    'HTTP/2',
    `${SAY} import http2 from 'node:http2'; try { const session = http2.connect('http://127.0.0.1:' + process.env.HTTP2)
     session.request().on('response', (headers) => said(headers[':status'])).on('close', () => session.close()).resume() } catch (error) { said(error) }`,
    '200',
    /^http2: http:/,
  ],
  [
    'the resolver',
    `${SAY} import dns from 'node:dns'; dns.lookup('localhost', { family: 4 }, (error, address) => said(error ?? address))`,
    '"127.0.0.1"',
    /^dns: localhost$/,
  ],
  [
    'the promised resolver',
    `${SAY} import { lookup } from 'node:dns/promises'; said(await lookup('127.0.0.1').then((found) => found.address, (error) => error))`,
    '"127.0.0.1"',
    /^dns: 127/,
  ],
]

describe.each(CROSSINGS)('%s', (_what, source, printed, gap) => {
  test('passes in a recording with a gap, and is refused in a replay', async () => {
    const program = await recordProgram(source, ports)
    expect(program.recorded).toMatchObject({ code: 0, stdout: `${printed}\n`, stderr: '' })
    const { report, stdout, code } = await program.replay({ env: { ...process.env, ...ports } })
    expect(report.gaps.map(({ boundary }) => boundary)).toEqual(['network'])
    expect(report.gaps[0]?.reason).toMatch(gap)
    expect(report.verdict).toBe('unverified')
    expect(report.divergences[0]?.category).toBe('gap')
    expect(report.divergences[0]?.actual).toMatch(gap)
    expect(JSON.parse(stdout)).toMatchObject({ code: 'replay-diverged' })
    expect(code).toBe(2)
  })
})

test('HTTP/2 over a socket of the program is a gap, and nothing of it is stored', async () => {
  const source = `${SAY} import http2 from 'node:http2'; import net from 'node:net'
    const socket = net.connect(process.env.HTTP2, '127.0.0.1', () => {
      const session = http2.connect('http://127.0.0.1', { createConnection: () => socket })
      session.on('error', said)
      session.request({ authorization: 'Bearer 8Jq2Vx7Lm4Tz9Wd1' }).on('error', said)
        .on('response', (headers) => said(headers[':status'])).on('close', () => session.close()).resume()
    })`
  const program = await recordProgram(source, ports)
  expect(program.recorded).toMatchObject({ code: 0, stdout: '200\n', stderr: '' })
  expect(readFileSync(program.tape, 'utf8')).not.toContain(
    Buffer.from('PRI * HT').toString('base64').slice(0, 10),
  )
  const { report, code } = await program.replay({ env: { ...process.env, ...ports } })
  expect(report.gaps.map(({ reason }) => reason)).toEqual([
    `HTTP/2 that the program makes itself: 127.0.0.1:${ports.HTTP2}`,
  ])
  expect([report.verdict, code]).toEqual(['unverified', 2])
})

test('a gap is said once per reason', async () => {
  const source = `import { lookup } from 'node:dns/promises'; for (const name of ['localhost', 'localhost', '127.0.0.1']) await lookup(name)`
  const { report } = await (await recordProgram(source)).replay()
  expect(report.gaps.map(({ reason }) => reason)).toEqual(['dns: localhost', 'dns: 127.0.0.1'])
})

test('a denied host is not reached by any way', async () => {
  const source = `${SOCKET} import { lookup } from 'node:dns/promises'
    const port = process.env.PLAIN
    await new Promise((done) => http.get({ host: '127.0.0.1', port }).on('error', (error) => done(said(error))))
    await new Promise((done) => new net.Socket().connect(port, '127.0.0.1').on('error', (error) => done(said(error))))
    said(await lookup('localhost').catch((error) => error))
    await new Promise((done) => http.get({ host: 'localhost', port, family: 4 }, (response) => { said(response.statusCode); response.resume().on('end', done) }))`
  const program = await recordProgram(source, ports, 'agent.mjs', [
    '--network',
    'deny',
    '--allow-host',
    `localhost:${ports.PLAIN}`,
  ])
  const denied = (host: string): string =>
    JSON.stringify({ code: 'ENETDENIED', message: `network denied: ${host} is not among the allowed hosts` })
  const here = `127.0.0.1:${ports.PLAIN}`
  expect(program.recorded.stdout).toBe(
    [denied(here), denied(here), denied('localhost'), '200', ''].join('\n'),
  )
})

test('a secret in a counted body leaves a body that a client can read to its end', async () => {
  const key = `sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}-AAAAAAAA`
  const server = http.createServer(
    (_request, response) =>
      void response.setHeader('content-length', String(key.length + 20)).end(`{"the_key":"${key}"}      `),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const source = `import http from 'node:http'
    const ask = () => new Promise((done) => http.get(process.env.BASE, { agent }, (response) => {
      let text = ''
      response.on('data', (bytes) => { text += bytes }).on('end', () => done(Number(response.headers['content-length']) === text.length && text.includes('}')))
    }))
    const agent = new http.Agent({ keepAlive: true })
    console.log(await ask(), await ask())
    agent.destroy()`
  const program = await recordProgram(source, {
    BASE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  await new Promise((resolve) => server.close(resolve))
  expect(program.recorded.stdout).toBe('true true\n')
  const { report, stdout } = await program.replay()
  expect(stdout).toBe('true true\n')
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  expect(report.scrubbed_inputs).toBeGreaterThan(0)
})
