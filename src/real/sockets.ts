/** Connections and what they are made of, captured before anything is patched: the originals, and the objects whose functions a recorder replaces. */
import dgram from 'node:dgram'
import dns from 'node:dns'
import http from 'node:http'
import net from 'node:net'
import process from 'node:process'
import tls from 'node:tls'
import { realSetImmediate } from './clock.ts'

export type RealSocket = net.Socket & Partial<Pick<tls.TLSSocket, 'authorized' | 'authorizationError' | 'alpnProtocol' | 'getProtocol' | 'getCipher'>>

const normalizeArgs: (args: unknown[]) => [options: Record<string, unknown>, callback: unknown] = Reflect.get(net, '_normalizeArgs')
const nextTick = process.nextTick.bind(process)

/** What the arguments of `net.connect` mean: `(port, host, callback)`, `(path)`, `(options)`. */
export const connectOptions = (args: readonly unknown[]): readonly [options: Readonly<Record<string, unknown>>, callback: unknown] => {
  const [options, callback] = normalizeArgs([...args])
  return [options, callback]
}

const { isIP, Socket } = net
export const isIp: (host: string) => boolean = (host) => isIP(host) !== 0
export const realNetConnect: typeof net.connect = net.connect
export const realNextTick: (body: () => void) => void = (body) => nextTick(body)

/** A socket that never connects, and fails with this error in a turn of its own. */
export function failingSocket(error: Error): RealSocket {
  const socket = new Socket()
  // It keeps what is written, as one that still connects does.
  Object.assign(socket, { connecting: true })
  realSetImmediate(() => socket.destroy(error))
  return socket
}

export const socketOwners = {
  net,
  get tls(): typeof tls {
    return tls
  },
  get dns(): typeof dns {
    return dns
  },
  get dnsPromises(): typeof dns.promises {
    return dns.promises
  },
  get dgramSocketPrototype(): object {
    return dgram.Socket.prototype
  },
  agentPrototype: http.Agent.prototype as object,
  socketPrototype: net.Socket.prototype as object,
  serverPrototype: net.Server.prototype as object,
} as const
