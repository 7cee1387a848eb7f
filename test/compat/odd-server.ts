/**
 * What clients must cope with, over HTTP and HTTPS: streams, compression, redirects, uploads, early and late
 * answers, cuts, resets, silence.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { gzipSync } from 'node:zlib'

export type OddServer = {
  readonly http: string
  readonly https: string
  connections(): number
  stop(): Promise<void>
}

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/network/${name}`, import.meta.url))

export async function startOddServer(): Promise<OddServer> {
  let connections = 0
  const listener: RequestListener = (request, response) => void answer(request, response)
  const plain = createServer(listener)
  const secure = createTlsServer(
    { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') },
    listener,
  )
  plain.on('connection', () => {
    connections += 1
  })
  const [http, https] = await Promise.all([listen(plain), listen(secure)])
  return {
    http: `http://127.0.0.1:${http}`,
    https: `https://localhost:${https}`,
    connections: () => connections,
    async stop() {
      plain.closeAllConnections()
      secure.closeAllConnections()
      await Promise.all([plain, secure].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** Of one length, so that `content-length` is too. */
function random(): string {
  return Math.random().toFixed(12)
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://x')
  if (url.pathname === '/early') {
    response.writeHead(413, { 'content-length': '3', connection: 'close' }).end('no!')
    return
  }
  const body: Buffer[] = []
  for await (const chunk of request) body.push(chunk as Buffer)
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
  switch (url.pathname) {
    case '/stream':
      response.writeHead(200, { 'content-type': 'text/event-stream', 'X-Odd-Case': 'Kept', trailer: 'x-sum' })
      for (let n = 0; n < 5; n += 1) {
        response.write(`data: {"n":${n},"at":${random()}}\n\n`)
        await turn()
      }
      response.addTrailers({ 'x-sum': '5' })
      response.end()
      return
    case '/forever':
      response.writeHead(200)
      while (!response.destroyed) {
        response.write('more ')
        await turn()
      }
      return
    case '/gzip':
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
      response.end(gzipSync(JSON.stringify({ text: 'again and '.repeat(500), random: random() })))
      return
    case '/redirect':
      response.writeHead(302, { location: '/landed' }).end()
      return
    case '/echo':
      response.setHeader('x-type', request.headers['content-type'] ?? '')
      response.end(
        JSON.stringify({ method: request.method, body: Buffer.concat(body).toString(), random: random() }),
      )
      return
    case '/cut':
      response.writeHead(200, { 'content-length': '1000' })
      response.write('only the beginning')
      await turn()
      response.destroy()
      return
    case '/die':
      request.socket.destroy()
      return
    case '/reset':
      request.socket.resetAndDestroy()
      return
    case '/hang':
      return
    case '/status':
      response
        .writeHead(Number(url.searchParams.get('code')), 'As Asked', { 'retry-after': '0' })
        .end('{"error":true}')
      return
    case '/binary':
      response.writeHead(200, { 'content-length': '90000' })
      response.end(Buffer.from(Array.from({ length: 90_000 }, (_, at) => (at * 7) % 256)))
      return
    case '/empty':
      response.writeHead(204).end()
      return
    case '/hints':
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
      await turn()
      response.end('after hints')
      return
    default:
      response.end(JSON.stringify({ path: url.pathname, random: random() }))
  }
}
