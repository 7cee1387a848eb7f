/**
 * Real HTTP clients, each recorded through the built command line against a local server, then replayed with
 * the server stopped. What the client saw, by its own ledger, must be equal, and the verdict faithful.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTapeEvents } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type OddServer, startOddServer } from './odd-server.ts'

let server: OddServer
beforeAll(async () => {
  server = await startOddServer()
})
afterAll(() => server.stop())

const program = (name: string): string => fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url))

/** How many steps each program has, so that one that stops early does not pass. */
const CLIENTS = [
  ['node-http', 26],
  ['axios', 15],
  ['got', 15],
  ['node-fetch', 13],
  ['undici', 35],
] as const

test.each(CLIENTS)('%s sees the same in a replay without its server', async (name, steps) => {
  const tape = join(tempFolder(), 'run.tape')
  const ownServer = await startOddServer()
  const env = { ...process.env, BASE: ownServer.http, TLS_BASE: ownServer.https }
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, program(name)], { env })
  await ownServer.stop()
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect(recorded.stdout.trim().split('\n').length).toBe(steps)
  const report = `${tape}.json`
  const replayed = await reprise(['replay', tape, '--report', report], { env: { PATH: process.env.PATH } })
  expect(replayed.stdout).toBe(recorded.stdout)
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    unused: [],
    gaps: [],
  })
  expect(replayed).toMatchObject({ code: 0, stderr: '' })
})

test('a recording changes nothing that a client sees, and opens as many connections', async () => {
  const env = { ...process.env, BASE: server.http, TLS_BASE: server.https }
  const stable = (text: string): string =>
    text
      .replace(/0\.\d{6,}/g, 'random')
      .replace(/"[^"]* GMT"/g, 'date')
      .replace(/\["[0-9a-f",[\]]*\]/g, 'digests')
      .replace(/"[0-9a-f]{16}"/g, 'digest')
  const tape = join(tempFolder(), 'run.tape')
  const before = server.connections()
  const plain = await runChild(process.execPath, [program('node-http')], { env })
  const between = server.connections()
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, program('node-http')], {
    env,
  })
  expect(stable(recorded.stdout)).toBe(stable(plain.stdout))
  expect(server.connections() - between).toBe(between - before)
})

test('an exchange is on the tape once, the same for every client', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const script = `
    import http from 'node:http'
    import { request } from 'undici'
    const url = process.env.BASE + '/echo'
    await (await fetch(url, { method: 'POST', body: 'x' })).text()
    await (await request(url, { method: 'POST', body: 'x' })).body.text()
    await new Promise((resolve) => http.request(url, { method: 'POST' }, (response) => response.resume().on('end', resolve)).end('x'))`
  const run = await reprise(
    ['record', '--out', tape, '--', process.execPath, '--input-type=module', '-e', script],
    {
      env: { ...process.env, BASE: server.http },
    },
  )
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const kinds = [...readTapeEvents(tape)].flatMap((event) =>
    event.type === 'record' ? [event.record.kind] : [],
  )
  const exchanges = kinds.filter((kind) => kind.kind === 'http_exchange')
  expect(exchanges.map(({ method, url, status }) => [method, url, status])).toEqual(
    Array(3).fill(['POST', `${server.http}/echo`, 200]),
  )
  const starts = kinds.flatMap((kind) =>
    kind.kind === 'effect_start' && kind.key.startsWith('POST') ? [kind.key] : [],
  )
  expect(starts.length).toBe(3)
  expect(new Set(starts).size).toBe(1)
})
