/** Servers made with other people's libraries, and the clients that call them while they are recorded. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocket } from 'ws'
import type { ServedBy } from '../../support/served-program.ts'

export type ServerProgram = {
  readonly name: string
  readonly packages: readonly string[]
  readonly source: string
  client(served: ServedBy): Promise<unknown>
}

const announce = `
const announce = (server) => console.error('PORT ' + server.address().port + ' PID ' + process.pid)
const stop = (server) => process.on('SIGTERM', () => server.close(() => console.log('stopped')))
`

const get = async ({ port }: ServedBy, path: string, init: RequestInit = {}): Promise<string> =>
  (
    await fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { connection: 'close', ...init.headers },
    })
  ).text()

const post = (served: ServedBy, path: string, body: unknown): Promise<string> =>
  get(served, path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: 'Bearer 8Jq2Vx7Lm4Tz9Wd1' },
  })

async function callSome(served: ServedBy): Promise<void> {
  await get(served, '/hello?name=ada')
  await Promise.all([1, 2, 3].map((n) => post(served, '/items', { n, text: 'x'.repeat(n * 20_000) })))
  await get(served, '/stream')
  await get(served, '/missing')
  process.kill(served.pid, 'SIGTERM')
}

const express: ServerProgram = {
  name: 'express',
  packages: ['express@5'],
  source: `
import express from 'express'
import { randomUUID } from 'node:crypto'
${announce}
const app = express()
app.use(express.json({ limit: '1mb' }))
app.get('/hello', (req, res) => res.json({ hello: req.query.name, id: randomUUID(), at: new Date() }))
app.post('/items', async (req, res) => {
  await new Promise((resolve) => setTimeout(resolve, req.body.n))
  console.log('item', req.body.n, req.body.text.length)
  res.status(201).cookie('seen', String(req.body.n)).send({ n: req.body.n })
})
app.get('/stream', (req, res) => {
  res.type('text/event-stream')
  let n = 0
  const timer = setInterval(() => {
    res.write('data: ' + n + '\\n\\n')
    n += 1
    if (n === 5) res.end(clearInterval(timer))
  }, 2)
})
const server = app.listen(0, '127.0.0.1', () => announce(server))
stop(server)
`,
  client: callSome,
}

const fastify: ServerProgram = {
  name: 'fastify',
  packages: ['fastify@5'],
  source: `
import Fastify from 'fastify'
const app = Fastify({ genReqId: () => String(Math.random()) })
app.get('/hello', async (request) => ({ hello: request.query.name, id: request.id, at: Date.now() }))
app.post('/items', async (request, reply) => {
  await new Promise((resolve) => setTimeout(resolve, request.body.n))
  console.log('item', request.body.n, request.body.text.length)
  return reply.code(201).send({ n: request.body.n })
})
app.get('/stream', (request, reply) => {
  reply.raw.writeHead(200, { 'content-type': 'text/plain' })
  for (const part of ['a', 'b', 'c']) reply.raw.write(part)
  setTimeout(() => reply.raw.end('d'), 3)
  return reply
})
await app.listen({ port: 0, host: '127.0.0.1' })
console.error('PORT ' + app.server.address().port + ' PID ' + process.pid)
process.on('SIGTERM', async () => {
  await app.close()
  console.log('stopped')
})
`,
  client: callSome,
}

const hono: ServerProgram = {
  name: 'hono',
  packages: ['hono@4', '@hono/node-server@1'],
  source: `
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { streamText } from 'hono/streaming'
${announce}
const app = new Hono()
app.get('/hello', (c) => c.json({ hello: c.req.query('name'), at: Date.now() }))
app.post('/items', async (c) => {
  const { n, text } = await c.req.json()
  await new Promise((resolve) => setTimeout(resolve, n))
  console.log('item', n, text.length)
  return c.json({ n }, 201)
})
app.get('/stream', (c) => streamText(c, async (stream) => {
  for (const part of ['a', 'b', 'c']) {
    await stream.write(part)
    await stream.sleep(2)
  }
}))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => announce(server))
stop(server)
`,
  client: callSome,
}

const ws: ServerProgram = {
  name: 'ws',
  packages: ['ws@8'],
  source: `
import http from 'node:http'
import { WebSocketServer } from 'ws'
${announce}
const server = http.createServer((req, res) => res.end('plain'))
const sockets = new WebSocketServer({ server, perMessageDeflate: process.argv[2] !== 'plain' })
let open = 0
sockets.on('connection', (socket, request) => {
  console.log('open', request.url)
  open += 1
  socket.send(JSON.stringify({ hello: request.url, at: Date.now() }))
  socket.on('message', (data, isBinary) => {
    console.log('message', isBinary, data.length)
    socket.send(isBinary ? data : String(data).toUpperCase(), { binary: isBinary })
  })
  socket.on('pong', (data) => console.log('pong', String(data)))
  socket.ping('are you there')
  socket.on('close', (code, reason) => {
    console.log('close', code, String(reason))
    open -= 1
    if (open === 0) server.close(() => console.log('stopped'))
  })
})
server.listen(0, '127.0.0.1', () => announce(server))
`,
  async client(served) {
    await get(served, '/')
    const talk = (path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${served.port}${path}`)
        const parts = ['hello', Buffer.alloc(70_000, 7), 'x'.repeat(5000)]
        socket.on('message', () => {
          const next = parts.shift()
          if (next === undefined) socket.close(4001, 'done')
          else socket.send(next)
        })
        socket.on('close', () => resolve())
        socket.on('error', reject)
      })
    await Promise.all([talk('/a'), talk('/b')])
  },
}

const mcp: ServerProgram = {
  name: 'MCP streamable HTTP',
  packages: ['@modelcontextprotocol/sdk@1', 'zod@3'],
  source: `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import http from 'node:http'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
${announce}
const transports = new Map()
const makeServer = () => {
  const mcp = new McpServer({ name: 'adder', version: '1.0.0' })
  mcp.registerTool('add', { description: 'adds', inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => {
    console.log('add', a, b)
    return { content: [{ type: 'text', text: String(a + b) }] }
  })
  return mcp
}
const server = http.createServer(async (req, res) => {
  const id = req.headers['mcp-session-id']
  let transport = transports.get(id)
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void transports.set(session, transport),
    })
    await makeServer().connect(transport)
  }
  await transport.handleRequest(req, res)
})
server.listen(0, '127.0.0.1', () => announce(server))
process.on('SIGTERM', () => {
  console.log('stopping')
  server.closeAllConnections()
  server.close(() => console.log('stopped'))
})
`,
  async client({ port, pid }) {
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`))
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(transport)
    await client.listTools()
    await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })
    await client.callTool({ name: 'add', arguments: { a: 20, b: 30 } })
    await client.close()
    process.kill(pid, 'SIGTERM')
  },
}

const plain: ServerProgram = {
  name: 'plain node:http',
  packages: ['ms@2'],
  source: `
import http from 'node:http'
${announce}
const server = http.createServer((req, res) => {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const body = Buffer.concat(chunks)
    console.log(req.method, req.url, body.length, Object.keys(req.headers).length)
    if (req.url === '/missing') res.writeHead(404).end()
    else if (req.url !== '/stream') res.setHeader('x-random', Math.random()).end(JSON.stringify({ at: Date.now() }))
    else { res.write('a'); setTimeout(() => { res.write('b'); setImmediate(() => res.end('c')) }, 2) }
  })
})
server.listen(0, '127.0.0.1', () => announce(server))
stop(server)
`,
  client: callSome,
}

const fastifySockets: ServerProgram = {
  name: '@fastify/websocket',
  packages: ['fastify@5', '@fastify/websocket@11'],
  source: `
import Fastify from 'fastify'
import websocket from '@fastify/websocket'
const app = Fastify()
await app.register(websocket)
app.get('/hello', async () => ({ at: Date.now() }))
app.get('/chat', { websocket: true }, (socket, request) => {
  console.log('open', request.query.room)
  socket.on('message', (data, isBinary) => { console.log(isBinary, data.length); socket.send(isBinary ? data : 'you said ' + data + ' ' + Math.random()) })
  socket.on('close', async (code) => { console.log('close', code); await app.close(); console.log('stopped') })
})
await app.listen({ port: 0, host: '127.0.0.1' })
console.error('PORT ' + app.server.address().port + ' PID ' + process.pid)
`,
  async client(served) {
    await get(served, '/hello')
    await new Promise<void>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${served.port}/chat?room=1`)
      const parts = [Buffer.alloc(70_000, 7), 'x'.repeat(200_000)]
      socket.on('open', () => socket.send('hello')).on('error', reject)
      socket.on('message', () => {
        const next = parts.shift()
        if (next === undefined) socket.close(4001, 'done')
        else socket.send(next)
      })
      socket.on('close', () => resolve())
    })
  },
}

/** Long polling first, then an upgrade to a WebSocket. */
const socketIo: ServerProgram = {
  name: 'socket.io',
  packages: ['socket.io@4', 'socket.io-client@4'],
  source: `
import http from 'node:http'
import { Server } from 'socket.io'
${announce}
const server = http.createServer()
const io = new Server(server)
io.on('connection', (socket) => {
  console.log('connected', socket.id.length)
  socket.conn.on('upgrade', ({ name }) => socket.emit('upgraded', name))
  socket.on('add', (a, b, answer) => { console.log('add', a, b); answer(a + b, Math.random()) })
  socket.on('blob', (bytes, answer) => { console.log('blob', bytes.length); answer(bytes) })
  socket.on('disconnect', (reason) => { console.log(reason); io.close(() => console.log('stopped')) })
})
server.listen(0, '127.0.0.1', () => announce(server))
`,
  async client({ port, folder }) {
    const { io } = createRequire(join(folder, 'package.json'))('socket.io-client')
    const socket = io(`http://127.0.0.1:${port}`)
    const upgraded = new Promise((resolve) => socket.on('upgraded', resolve))
    await socket.emitWithAck('add', 2, 3)
    await upgraded
    await socket.emitWithAck('add', 20, 30)
    await socket.emitWithAck('blob', Buffer.alloc(70_000, 7))
    socket.close()
  },
}

export const serverPrograms: readonly ServerProgram[] = [
  plain,
  express,
  fastify,
  fastifySockets,
  hono,
  mcp,
  socketIo,
  ws,
]
