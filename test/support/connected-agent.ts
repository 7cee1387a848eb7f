/** A recorded agent that uses a socket, a WebSocket, HTTP/2, the name service, a server of its own and stdin. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import { reprise } from './cli.ts'
import { type RecordedProgram, replayable } from './recorded-program.ts'
import { tempFolder } from './temp-folder.ts'

const ws = fileURLToPath(new URL('../../node_modules/ws/wrapper.mjs', import.meta.url))

const AGENT = `
import net from 'node:net'
import http from 'node:http'
import http2 from 'node:http2'
import dns from 'node:dns/promises'
import { WebSocket } from ${JSON.stringify(ws)}
const [tcp, web, two] = process.env.PORTS.split(' ')
const attempt = async (name, body) => {
  const before = Date.now()
  try { console.log(name + ': ' + (await body())) } catch (error) { console.log(name + ': failed ' + (error.code ?? error.message)) }
  if (Date.now() - before >= 4000) console.log(name + ': late')
}
await attempt('dns', async () => (await dns.lookup('localhost', { family: 4 })).address)
await attempt('http2', () => new Promise((resolve, reject) => {
  const session = http2.connect('http://127.0.0.1:' + two)
  const request = session.request({ ':path': '/' })
  let [text, head] = ['', {}]
  request.on('response', (headers) => { head = headers })
  request.on('data', (data) => { text += data })
  request.on('end', () => { resolve(head[':status'] + ' ' + head['x-kind'] + ' ' + text); session.close() })
  request.on('error', reject)
  session.on('error', reject)
}))
const say = (text) => new Promise((resolve, reject) => {
  const socket = new WebSocket('ws://127.0.0.1:' + web)
  socket.on('open', () => socket.send(text))
  socket.on('message', (data) => { resolve(String(data)); socket.close() })
  socket.on('error', reject)
})
await attempt('message', () => say('hello'))
await attempt('served', () => new Promise((resolve, reject) => {
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.end('got ' + request.headers['x-a'] + ' ' + body)
    resolve(request.headers['x-a'] + ' ' + body)
    server.close()
  })
  server.listen(0, '127.0.0.1', () => {
    const request = http.request({ port: server.address().port, host: '127.0.0.1', method: 'POST', headers: { 'x-a': 'one' } }, (response) => response.resume())
    request.on('error', reject)
    request.end('body')
  })
}))
await attempt('socket', () => new Promise((resolve, reject) => {
  const socket = net.connect(Number(tcp), '127.0.0.1', () => socket.write('hi'))
  socket.on('data', (data) => { resolve(String(data)); socket.destroy() })
  socket.on('error', reject)
}))
await attempt('again', () => say('again'))
await attempt('stdin', async () => { let text = ''; for await (const part of process.stdin) text += part; return text.trim() })
`

export const CONNECTED: Readonly<Record<string, string>> = {
  dns: '127.0.0.1',
  http2: '200 recorded {"two":2}',
  message: '{"got":"hello"}',
  served: 'one body',
  socket: 'echo hi',
  again: '{"got":"again"}',
  stdin: 'input',
}

/** `tcpPort`: of the server behind the socket. */
export type ConnectedProgram = RecordedProgram & { readonly tcpPort: number }

export async function recordConnectedAgent(): Promise<ConnectedProgram> {
  const tcp = createTcp((socket) => {
    socket.on('data', (data) => socket.write(`echo ${data}`))
    socket.on('error', () => socket.destroy())
  })
  const web = createServer()
  const sockets = new WebSocketServer({ server: web })
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => socket.send(JSON.stringify({ got: String(data) }))),
  )
  const two = createHttp2((_request, response) => {
    response.setHeader('x-kind', 'recorded')
    response.end('{"two":2}')
  })
  const tcpPort = await portOf(tcp)
  const ports = [tcpPort, await portOf(web), await portOf(two)]
  const folder = tempFolder()
  const script = join(folder, 'agent.mjs')
  const tape = join(folder, 'run.tape')
  writeFileSync(script, AGENT)
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
    env: { ...process.env, PORTS: ports.join(' ') },
    input: 'input\n',
  })
  web.closeAllConnections()
  for (const server of [tcp, web, two]) server.close()
  return { ...replayable({ folder, tape, script, recorded }), tcpPort }
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
