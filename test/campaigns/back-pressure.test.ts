/**
 * Back-pressure over every kind of connection: 100 MB up and down, with a receiver that is slower than the sender. The
 * recorded program is the client or the server; the other side is a plain child. The peak of memory, as the operating
 * system counts it, has a fixed bound in the recording and in the replay, whatever the size.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { campaignSize, scaled } from '../support/campaign.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MEGABYTES = scaled(100, 4)
const BOUND_MB = 300

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const peak = fileURLToPath(new URL('../support/peak.py', import.meta.url))
const pem = (name: string): string =>
  JSON.stringify(readFileSync(new URL(`../fixtures/network/localhost-${name}.pem`, import.meta.url), 'utf8'))

/** `listen` calls `use` with the two directions of a connection; `connect` returns them. */
type Transport = { readonly imports: string; readonly listen: string; readonly connect: string }

const TRANSPORTS: Readonly<Record<string, Transport>> = {
  TCP: {
    imports: `import net from 'node:net'`,
    listen: `net.createServer({ allowHalfOpen: true }, (socket) => use(socket, socket))`,
    connect: `const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }); return [socket, socket]`,
  },
  TLS: {
    imports: `import tls from 'node:tls'`,
    listen: `tls.createServer({ key: ${pem('key')}, cert: ${pem('cert')}, allowHalfOpen: true }, (socket) => use(socket, socket))`,
    connect: `const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true }); return [socket, socket]`,
  },
  'HTTP/1': {
    imports: `import http from 'node:http'`,
    listen: `http.createServer({ keepAliveTimeout: 1 }, (request, response) => use(request, response))`,
    connect: `const request = http.request({ port, host: '127.0.0.1', method: 'POST', agent: false })
      return [new Promise((resolve) => request.on('response', resolve)), request]`,
  },
  'HTTP/2': {
    imports: `import http2 from 'node:http2'`,
    listen: `http2.createServer((request, response) => use(request, response))`,
    connect: `const session = http2.connect('http://127.0.0.1:' + port), stream = session.request({ ':method': 'POST' })
      stream.on('close', () => session.close()); return [stream, stream]`,
  },
  WebSocket: {
    imports: `import { createWebSocketStream, WebSocket, WebSocketServer } from ${JSON.stringify(import.meta.resolve('ws'))}; import http from 'node:http'`,
    listen: `(() => { const server = http.createServer(); new WebSocketServer({ server }).on('connection', (socket) => { const stream = createWebSocketStream(socket); use(stream, stream) }); return server })()`,
    connect: `const stream = createWebSocketStream(new WebSocket('ws://127.0.0.1:' + port)); return [stream, stream]`,
  },
}

/** `work` sends or receives everything over one connection, and returns the number of received bytes. */
const BOTH_SIDES = `
import { once } from 'node:events'
const pieces = Number(process.env.PIECES)
const total = pieces * 100_000
async function work(sends, readable, writable) {
  writable.on('error', () => undefined)
  if (sends) {
    Promise.resolve(readable).then((stream) => stream.on('error', () => undefined).resume())
    for (let n = 0; n < pieces; n += 1) {
      const piece = Buffer.alloc(100_000, 'piece ' + n)
      // Nothing that could begin a secret: the scrubber holds no byte of it.
      piece[piece.length - 1] = 10
      if (!writable.write(piece)) await once(writable, 'drain')
    }
    return null
  }
  let bytes = 0, chunks = 0
  // The request of HTTP/1 ends before its answer comes.
  if (readable instanceof Promise) writable.end()
  for await (const chunk of await readable) {
    bytes += chunk.length
    chunks += 1
    if (chunks % 64 === 0) await new Promise((done) => setTimeout(done, 1))
    if (bytes === total) return bytes
  }
  return bytes
}
`

/** Prints its port if it is the server, and the number of bytes that it received. */
const peer = ({ imports, listen, connect }: Transport): string => `${imports}
${BOTH_SIDES}
const [role, sends, port] = [process.argv[2], process.argv[3] === 'sends', Number(process.argv[4])]
const use = async (readable, writable) => { const bytes = await work(sends, readable, writable); if (bytes !== null) console.log(bytes) }
if (role === 'client') use(...(() => { ${connect} })())
else { const server = ${listen}; server.listen(0, '127.0.0.1', () => console.log(server.address().port)) }
`

const program = (
  { imports, listen, connect }: Transport,
  { recorded, direction }: Pick<Row, 'recorded' | 'direction'>,
): string => `${imports}
import { spawn } from 'node:child_process'
${BOTH_SIDES}
const sends = ${direction === 'up'}
const start = (...words) => { const child = spawn(process.execPath, ['peer.mjs', ...words], { stdio: ['ignore', 'pipe', 'ignore'] }); child.stdout.setEncoding('utf8'); return child }
let child
const end = (bytes) => { console.log(bytes); child.kill(); process.exit(bytes === total ? 0 : 3) }
const use = async (readable, writable) => { const bytes = await work(sends, readable, writable); if (bytes !== null) end(bytes) }
${
  recorded === 'client'
    ? `child = start('server', sends ? 'receives' : 'sends')
const [port] = await once(child.stdout, 'data')
use(...((port) => { ${connect} })(Number(port)))`
    : `const server = ${listen}
server.listen(0, '127.0.0.1')
await once(server, 'listening')
child = start('client', sends ? 'receives' : 'sends', String(server.address().port))`
}
child.stdout.on('data', (text) => end(Number(text)))
`

type Row = {
  readonly transport: string
  readonly recorded: 'client' | 'server'
  readonly direction: 'up' | 'down'
}

const rows: readonly Row[] = Object.keys(TRANSPORTS).flatMap((transport) =>
  (['client', 'server'] as const).flatMap((recorded) =>
    (['up', 'down'] as const).map((direction) => ({ transport, recorded, direction })),
  ),
)

/** The short form has one row. */
const chosen =
  campaignSize === 'short'
    ? rows.filter(({ transport, recorded }) => transport === 'WebSocket' && recorded === 'server').slice(0, 1)
    : rows

test.each(chosen)(
  `${MEGABYTES} MB $direction over $transport, recorded: the $recorded`,
  { timeout: campaignSize === 'full' ? 3_600_000 : 120_000 },
  async (row) => {
    const folder = tempFolder()
    const transport = TRANSPORTS[row.transport]
    if (transport === undefined) throw new Error(`no transport ${row.transport}`)
    writeFileSync(join(folder, 'agent.mjs'), program(transport, row))
    writeFileSync(join(folder, 'peer.mjs'), peer(transport))
    const env = { ...process.env, PIECES: String(MEGABYTES * 10) }
    const peakOf = async (...command: string[]): Promise<number> => {
      const { stdout, stderr } = await runChild('python3', [peak, ...command], { cwd: folder, env })
      const [code, kilobytes] = stdout.trim().split(' ').map(Number)
      expect([command[1], command[2], code, stderr]).toEqual([command[1], command[2], 0, ''])
      return Math.round((kilobytes ?? 0) / 1024)
    }
    const node = process.execPath
    const options = ['--children', 'off', '--out', 'run.tape', '--', node, 'agent.mjs']
    const plain = await peakOf(node, 'agent.mjs')
    const recorded = await peakOf(node, bin, 'record', ...options)
    const replayed = await peakOf(node, bin, 'replay', 'run.tape')
    if (campaignSize !== 'short')
      console.log(JSON.stringify({ ...row, MEGABYTES, plain, recorded, replayed }))
    expect(recorded).toBeLessThanOrEqual(BOUND_MB)
    expect(replayed).toBeLessThanOrEqual(BOUND_MB)
  },
)
