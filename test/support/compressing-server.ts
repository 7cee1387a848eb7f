/**
 * A local server whose answers are compressed: whole, in flushed parts, cut off, and not what they say they
 * are. Its delays are random.
 */
import { createServer, type ServerResponse } from 'node:http'
import { brotliCompressSync, createBrotliCompress, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { listening } from './listening.ts'

export type CompressingServer = { readonly url: string; stop(): Promise<void> }

/** Large enough for several pieces of 16 KiB once it is decompressed. */
const TEXT = JSON.stringify(
  Array.from({ length: 4000 }, (_, row) => ({ row, name: `row ${(row * 7919) % 1000}` })),
)

export async function startCompressingServer(): Promise<CompressingServer> {
  const server = createServer((request, response) => {
    setTimeout(() => answer(new URL(request.url ?? '/', 'http://x').pathname, response), Math.random() * 5)
  })
  return listening(server)
}

function answer(path: string, response: ServerResponse): void {
  const head = (encoding: string): unknown =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
  switch (path) {
    case '/gzip':
      head('gzip')
      return void response.end(gzipSync(TEXT))
    case '/br':
      head('br')
      return void response.end(brotliCompressSync(TEXT, { params: { 1: 4 } }))
    case '/deflate':
      head('deflate')
      return void response.end(deflateSync(TEXT))
    case '/parts-gzip':
      head('gzip')
      inParts(createGzip(), response)
      return
    case '/parts-br':
      head('br')
      inParts(createBrotliCompress(), response)
      return
    case '/no-gzip':
      head('gzip')
      return void response.end('this is no gzip')
    case '/cut':
      head('gzip')
      response.write(gzipSync(TEXT).subarray(0, 2000))
      return void setTimeout(() => response.destroy(), 3)
    default:
      return void response.writeHead(404).end()
  }
}

type Compressor = ReturnType<typeof createGzip> | ReturnType<typeof createBrotliCompress>

function inParts(compressor: Compressor, response: ServerResponse): void {
  compressor.pipe(response)
  let part = 0
  const next = (): void => {
    compressor.write(`part ${part}\n`)
    compressor.flush()
    part += 1
    if (part < 6) setTimeout(next, Math.random() * 4)
    else compressor.end()
  }
  next()
}
