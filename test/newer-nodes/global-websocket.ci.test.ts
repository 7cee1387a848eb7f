/**
 * The global WebSocket of newer Nodes in a session of the library, and `fetch` after it: what the process did
 * before the session does not count, in the recording and in the replay.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { newerNode } from '../support/newer-node.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const KEY = 'ek_a1B2c3D4e5F6g7H8i9J0k1L2'
const server = http.createServer((request, response) =>
  response.end(request.url === '/keys' ? JSON.stringify({ client_secret: KEY }) : `answer to ${request.url}`),
)
new WebSocketServer({ server, handleProtocols: (protocols) => [...protocols][0] ?? false }).on(
  'connection',
  (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)),
)
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const PROGRAM = `import { record, replay } from ${JSON.stringify(import.meta.resolve('../../dist/library/index.js'))}
const [before, steps, host] = process.argv.slice(2)
const open = async (path) => { const socket = new WebSocket('ws://' + host + path); await new Promise((done) => { socket.onopen = done }); return socket }
const close = async (socket) => { socket.close(); await new Promise((done) => { socket.onclose = done }) }
const get = async (path) => (await fetch('http://' + host + path)).text()
const body = async () => {
  const socket = await open('/socket')
  const ask = (text) => new Promise((done) => { socket.onmessage = ({ data }) => done(data); socket.send(text) })
  const got = [await ask('one'), await get('/first'), await ask('two')]
  got.push(...(await Promise.all(['/a', '/b'].map(get))))
  await close(socket)
  return [...got, await get('/last')].join()
}
if (before === 'fetch') await get('/before')
if (before === 'socket') await close(await open('/before'))
if (steps.includes('record')) console.log(await record('run.tape', body))
if (steps.includes('replay')) { const { value, report } = await replay('run.tape', body); console.log(value, report.verdict) }
`
const SAID = 'echo one,answer to /first,echo two,answer to /a,answer to /b,answer to /last'
const BEFORE = ['nothing', 'fetch', 'socket'] as const

test.for(['node22', 'node24', 'node26'])('%s', { timeout: 120_000 }, async (name, context) => {
  const node = newerNode(name) ?? context.skip(name)
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const recorded of BEFORE) {
    const folder = tempFolder()
    writeFileSync(join(folder, 'program.mjs'), PROGRAM)
    const run = async (before: string, steps: string): Promise<string> => {
      const { stdout, stderr } = await runChild(node, ['program.mjs', before, steps, host], { cwd: folder })
      return stdout + stderr
    }
    expect([recorded, await run(recorded, 'record and replay')]).toEqual([
      recorded,
      `${SAID}\n${SAID} faithful\n`,
    ])
    for (const before of BEFORE)
      expect([recorded, before, await run(before, 'replay')]).toEqual([
        recorded,
        before,
        `${SAID} faithful\n`,
      ])
  }
})

const KEYED = `const host = process.env.REALTIME_HOST
const { client_secret: key } = JSON.parse(await (await fetch('http://' + host + '/keys')).text())
const socket = new WebSocket('ws://' + host + '/realtime', ['realtime', 'api-key.' + key])
console.log(socket.protocol === '' && (await new Promise((done, failed) => { socket.onopen = () => socket.send('one'); socket.onmessage = ({ data }) => done(data); socket.onerror = failed })), socket.protocol)
socket.close()`

test.for(['node22', 'node24', 'node26'])(
  'a key from an answer in a sub-protocol, over the origin of the answer, on %s',
  { timeout: 120_000 },
  async (name, context) => {
    const node = newerNode(name) ?? context.skip(name)
    const folder = tempFolder()
    writeFileSync(join(folder, 'program.mjs'), KEYED)
    const env = { ...process.env, REALTIME_HOST: `127.0.0.1:${(server.address() as AddressInfo).port}` }
    const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
    const run = (words: readonly string[]) => runChild(node, [bin, ...words], { cwd: folder, env })
    const recorded = await run(['record', '--quiet', '--out', 'run.tape', '--', node, 'program.mjs'])
    expect(recorded).toMatchObject({ code: 0, stdout: 'echo one realtime\n' })
    expect(readFileSync(join(folder, 'run.tape'), 'utf8')).not.toContain(KEY)
    expect(await run(['replay', 'run.tape'])).toMatchObject({ code: 0, stdout: recorded.stdout })
  },
)
