/** A local model with the API of OpenAI's chat completions: streams an answer in chunks, after a delay. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ModelServer = {
  readonly url: string
  /** Bytes of requests and answers so far. */
  readonly bytes: () => number
  stop(): void
}

export async function startModelServer(options: {
  readonly delayMs: number
  readonly chunks: number
}): Promise<ModelServer> {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (data: Buffer) => {
      bytes += data.length
    })
    request.on('end', () => {
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        bytes += writeChunks(response, options.chunks)
      }
      if (options.delayMs === 0) answer()
      else setTimeout(answer, options.delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** One chunk per turn of the event loop, so that the client reads them in several pieces. */
function writeChunks(response: ServerResponse, chunks: number): number {
  const lines = Array.from({ length: chunks }, (_, n) => chunkLine({ content: `word ${n} of 0.5, ` }, null))
  lines.push(chunkLine({}, 'stop'), 'data: [DONE]\n\n')
  const next = (): void => {
    const line = lines.shift()
    if (line === undefined) response.end()
    else response.write(line, () => setImmediate(next))
  }
  const total = lines.reduce((sum, line) => sum + line.length, 0)
  next()
  return total
}

function chunkLine(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1767225600,
    model: 'bench',
    choices,
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}
