/** An HTTP server that listens on 127.0.0.1 only, on a port that the system chooses. `node:http` as it was before anything was patched. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type LoopbackServer = {
  readonly port: number
  /** Ends all connections, also those that are in use. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'

export function listenOnLoopback(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<LoopbackServer> {
  const server = createServer({ maxHeaderSize: 64 * 1024 }, handler)
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

export type { IncomingMessage, ServerResponse } from 'node:http'
