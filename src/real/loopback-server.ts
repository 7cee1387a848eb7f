/**
 * An HTTP server that listens on 127.0.0.1 only, on a port that the system chooses. `node:http` as it was
 * before anything was patched.
 */
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export type LoopbackServer = {
  readonly port: number
  /** Ends all connections, also those that are in use. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'

export function listenOnLoopback(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<LoopbackServer> {
  const server = createServer({ maxHeaderSize: 64 * 1024 }, handler)
  if (onUpgrade !== undefined) server.on('upgrade', onUpgrade)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: HOST, port: 0, exclusive: true }, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') {
        reject(new Error('the server has no port'))
        return
      }
      resolve({
        port: address.port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          }),
      })
    })
  })
}

/** The body of an answer of a server on this machine; null if there is none. */
export function readFromLoopback(port: number, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    get({ host: HOST, port, path }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve(text))
      response.on('error', () => resolve(null))
    }).on('error', () => resolve(null))
  })
}

export type { IncomingMessage, ServerResponse } from 'node:http'
