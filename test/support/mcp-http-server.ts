/**
 * A small MCP server over HTTP for programs under test, without any library: answers as JSON (`/json`), as
 * events (`/events`), or over a stream that was opened before (`/sse` and `/message`). It knows one tool,
 * `add`, and reports progress where it is asked to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listening, listening } from './listening.ts'

type Message = {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly [key: string]: never }
}

export async function startMcpHttpServer(): Promise<Listening> {
  const streams = new Map<string, ServerResponse>()
  const server = createServer((request, response) => void serve(request, response, streams))
  return listening(server)
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  streams: Map<string, ServerResponse>,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://x')
  if (request.method === 'GET') {
    const session = `s${streams.size}`
    streams.set(session, response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: /message?sessionId=${session}\n\n`)
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const sent: Message | readonly Message[] = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const messages = (Array.isArray(sent) ? sent : [sent]) as readonly Message[]
  const answers = messages.flatMap(answersTo)
  switch (url.pathname) {
    case '/json': {
      if (answers.length === 0) return void response.writeHead(202).end()
      const body = JSON.stringify(Array.isArray(sent) ? answers.filter(isAnswer) : answers.find(isAnswer))
      return void response
        .writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'mcp-session-id': 'one',
        })
        .end(body)
    }
    case '/events': {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'two' })
      const text = answers.map((answer) => `event: message\ndata: ${JSON.stringify(answer)}\n\n`).join('')
      // Cut in the middle of an event, and of a character.
      const bytes = Buffer.from(text)
      const middle = Math.floor(bytes.length / 2)
      response.write(bytes.subarray(0, middle))
      return void setTimeout(() => response.end(bytes.subarray(middle)), 5)
    }
    default: {
      response.writeHead(202).end('Accepted')
      const stream = streams.get(url.searchParams.get('sessionId') ?? '')
      for (const answer of answers) stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
    }
  }
}

function isAnswer(message: object): boolean {
  return 'id' in message
}

function answersTo({ id, method, params }: Message): object[] {
  if (id === undefined || method === undefined) return []
  const { _meta, arguments: given } = (params ?? {}) as {
    readonly _meta?: { readonly progressToken?: unknown }
    readonly arguments?: { readonly a: number }
  }
  const token = _meta?.progressToken
  const progress =
    token === undefined
      ? []
      : [
          {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: token, progress: 1, message: '½' },
          },
        ]
  const result =
    method === 'initialize'
      ? {
          protocolVersion: '2025-06-18',
          serverInfo: { name: 'adder', version: '1' },
          capabilities: { tools: {} },
        }
      : { sum: (given?.a ?? 0) + 1, random: Math.random() }
  return [...progress, { jsonrpc: '2.0', id, result }]
}
