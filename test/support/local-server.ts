/**
 * A local server for programs under test: answers, streams, fails and dies on request. Random delays make the
 * order of answers random.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

export type LocalServer = { readonly url: string; readonly connections: () => number; stop(): Promise<void> }

export async function startLocalServer(): Promise<LocalServer> {
  let connections = 0
  const server: Server = createServer((request, response) => void answer(request, response))
  server.on('connection', () => {
    connections += 1
  })
  return { ...(await listening(server)), connections: () => connections }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString('utf8')
  const url = new URL(request.url ?? '/', 'http://x')
  const delay = (ms: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, Math.random() * ms))
  switch (url.pathname) {
    case '/stream': {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let n = 0; n < Number(url.searchParams.get('n') ?? 5); n += 1) {
        await delay(3)
        response.write(`data: {"n":${n},"r":${Math.random()}}\n\n`)
      }
      response.end()
      return
    }
    case '/cut':
      response.writeHead(200, { 'content-length': '1000' })
      response.write('only the beginning')
      await delay(5)
      request.socket.destroy()
      return
    case '/die':
      request.socket.destroy()
      return
    case '/status':
      response
        .writeHead(Number(url.searchParams.get('code')), { 'retry-after': '1' })
        .end('{"error":"as asked"}')
      return
    case '/redirect':
      response.writeHead(302, { location: '/landed' }).end()
      return
    case '/binary':
      response
        .writeHead(200, { 'content-type': 'application/octet-stream' })
        .end(Buffer.from(Array.from({ length: 9000 }, (_, at) => (at * 7) % 256)))
      return
    default:
      await delay(8)
      response.writeHead(200, { 'content-type': 'application/json', 'x-random': String(Math.random()) })
      response.end(JSON.stringify({ path: url.pathname, body, random: Math.random() }))
  }
}
