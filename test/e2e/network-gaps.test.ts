/**
 * What crosses the network and is not captured: a gap in a recording, which runs as ever; refused in a replay,
 * and said so.
 */
import http from 'node:http'
import type net from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('a gap is reported once per reason', async () => {
  const source = `import { generateKeySync } from 'node:crypto'; for (const length of [64, 128]) generateKeySync('hmac', { length })`
  const { report } = await (await recordProgram(source)).replay()
  expect(report.gaps.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^crypto\.generateKeySync /),
  ])
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
