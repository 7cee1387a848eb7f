/**
 * Serves the page and a viewer's data to a browser on this machine. Listens on 127.0.0.1 only; every path
 * begins with a secret that only the user's terminal shows. Knows no file format: it hands requests to the
 * source and answers with what that returns.
 */
import { isRepriseError } from '../../errors/index.ts'
import { realClearInterval, realSetInterval } from '../../real/clock.ts'
import { type IncomingMessage, listenOnLoopback, type ServerResponse } from '../../real/loopback-server.ts'
import { realRandomBytes } from '../../real/random.ts'
import type { ViewerSource } from '../protocol/source.ts'
import { type ProblemDocument, ViewerProblem } from '../protocol/transport.ts'
import { judgeRequest, SECURITY_HEADERS } from './guard.ts'
import { callMethod } from './methods.ts'
import { type PageFile, withBoot } from './page-files.ts'

export type ViewerServer = { readonly url: string; close(): Promise<void> }

const HEARTBEAT_MS = 15_000

export async function serveViewer(
  source: ViewerSource,
  page: ReadonlyMap<string, PageFile>,
): Promise<ViewerServer> {
  const token = Buffer.from(realRandomBytes(24)).toString('base64url')
  const index = withBoot(page.get('index.html')?.bytes.toString('utf8') ?? '', {
    source: 'server',
    api: './api/',
  })
  let port = 0
  const server = await listenOnLoopback((request, response) => {
    answer(request, response).catch((error: unknown) => {
      sendProblem(response, 500, {
        code: 'internal',
        message: error instanceof Error ? error.message : String(error),
        hint: null,
      })
    })
  })
  port = server.port

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const verdict = judgeRequest(request, port, token)
    if (!verdict.allowed) {
      sendProblem(response, verdict.status, { code: 'refused', message: verdict.reason, hint: null })
      return
    }
    const { path, query } = verdict
    if (path === '' || path === 'index.html')
      send(response, 200, 'text/html; charset=utf-8', Buffer.from(index))
    else if (path === 'api/follow') follow(request, response, source)
    else if (path.startsWith('api/')) await answerMethod(response, source, path.slice(4), query.get('p'))
    else {
      const file = page.get(path)
      if (file === undefined)
        sendProblem(response, 404, { code: 'not-found', message: 'there is no such file', hint: null })
      else send(response, 200, file.type, file.bytes)
    }
  }
  return { url: `http://127.0.0.1:${port}/${token}/`, close: () => server.close() }
}

async function answerMethod(
  response: ServerResponse,
  source: ViewerSource,
  name: string,
  parameters: string | null,
): Promise<void> {
  try {
    const answer = await callMethod(source, name, parameters)
    if (answer === null)
      sendProblem(response, 404, { code: 'not-found', message: 'there is no such method', hint: null })
    else if (answer.type === 'json') send(response, 200, 'application/json', Buffer.from(answer.text))
    else send(response, 200, 'application/octet-stream', answer.bytes)
  } catch (error) {
    if (error instanceof ViewerProblem || isRepriseError(error)) {
      const { code, message, hint } = error
      sendProblem(response, code === 'bad-request' ? 400 : 404, { code, message, hint })
    } else throw error
  }
}

function follow(request: IncomingMessage, response: ServerResponse, source: ViewerSource): void {
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': 'text/event-stream' })
  response.write(': connected\n\n')
  const stop = source.follow((event) => void response.write(`data: ${JSON.stringify(event)}\n\n`))
  // A proxy or a sleeping browser detects that the server is gone.
  const heartbeat = realSetInterval(() => void response.write(': here\n\n'), HEARTBEAT_MS)
  request.on('close', () => {
    stop()
    realClearInterval(heartbeat)
  })
}

function sendProblem(response: ServerResponse, status: number, problem: ProblemDocument): void {
  send(response, status, 'application/json', Buffer.from(JSON.stringify(problem)))
}

function send(response: ServerResponse, status: number, type: string, bytes: Uint8Array): void {
  if (response.headersSent) {
    response.end()
    return
  }
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': type,
    'content-length': bytes.byteLength,
  })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}
