/**
 * An HTTP server of a test, on loopback and a port of its own, until it is stopped: then its connections end
 * too.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Listening = { readonly url: string; stop(): Promise<void> }

export async function listening(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
