/** Answers with the message of a cell, in the way that the path names. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Listening, listening } from '../../support/listening.ts'

export async function startAnsweringServer(messages: readonly string[]): Promise<Listening> {
  const server = createServer((request, response) => void answer(request, response, messages))
  // On a busy machine a client may use a connection that the server has just closed because it was idle.
  server.keepAliveTimeout = 600_000
  return listening(server)
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  messages: readonly string[],
): Promise<void> {
  for await (const _chunk of request) void _chunk
  const url = new URL(request.url ?? '/', 'http://x')
  const message = messages[Number(url.searchParams.get('cell'))] ?? ''
  const json = JSON.stringify({ note: message })
  const inHeader = message.replace(/[^\x20-\x7e]/gu, (char) => encodeURIComponent(char))
  const pieces = async (text: string): Promise<void> => {
    const size = Math.ceil(text.length / 3)
    for (let at = 0; at < text.length; at += size) {
      response.write(text.slice(at, at + size))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  }
  const events = { 'content-type': 'text/event-stream' }
  switch (url.pathname) {
    case '/json':
      response.writeHead(200, { 'content-type': 'application/json' }).end(json)
      return
    case '/text':
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`a ${message} b`)
      return
    case '/pieces':
      response.writeHead(200, { 'content-type': 'text/plain' })
      await pieces(`a ${message} b`)
      return
    case '/event':
      response.writeHead(200, events).end(`data: ${json}\n\n`)
      return
    case '/event-pieces':
      response.writeHead(200, events)
      await pieces(`data: ${json}\n\n`)
      return
    case '/gzip':
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(json))
      return
    case '/br':
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' })
        .end(brotliCompressSync(json))
      return
    case '/header':
      response.writeHead(200, { 'x-note': inHeader }).end('x')
      return
    case '/cookie':
      response.writeHead(200, { 'set-cookie': `session=${inHeader}; Path=/` }).end('x')
      return
    case '/failed':
      response.writeHead(500, { 'content-type': 'application/json' }).end(json)
      return
    default:
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  }
}
