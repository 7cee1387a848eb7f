/**
 * Connections and what they are made of, captured before anything is patched: the originals, and the objects
 * whose functions a recorder replaces.
 */
import dgram from 'node:dgram'
import dns from 'node:dns'
import http from 'node:http'
import net from 'node:net'
import process from 'node:process'
import tls from 'node:tls'
import { realSetImmediate } from './clock.ts'

export type RealSocket = net.Socket &
  Partial<
    Pick<tls.TLSSocket, 'authorized' | 'authorizationError' | 'alpnProtocol' | 'getProtocol' | 'getCipher'>
  >

export type RealDatagramSocket = dgram.Socket & { readonly type: string }

type NormalizeArgs = (args: unknown[]) => [options: Record<string, unknown>, callback: unknown]
const nextTick = process.nextTick.bind(process)

/** What the arguments of `net.connect` mean: `(port, host, callback)`, `(path)`, `(options)`. */
export const connectOptions = (
  args: readonly unknown[],
): readonly [options: Readonly<Record<string, unknown>>, callback: unknown] => {
  const normalizeArgs: NormalizeArgs = Reflect.get(net, '_normalizeArgs')
  const [options, callback] = normalizeArgs([...args])
  return [options, callback]
}

export const isIp: (host: string) => boolean = (host) => net.isIP(host) !== 0
let netConnect: typeof net.connect | null = null
let socketConnect: typeof net.Socket.prototype.connect | null = null

/** Loaded by the code that patches it, before it patches. */
export function realNetConnect(): typeof net.connect {
  netConnect ??= net.connect
  socketConnect ??= net.Socket.prototype.connect
  return netConnect
}

/**
 * Throws what `net.connect` throws for options that it rejects. Opens nothing: with a path, Node rejects only one that
 * is no string, and the name of the host is never resolved.
 */
export function rejectedByConnect(options: Readonly<Record<string, unknown>>): void {
  const { port, path, localAddress, localPort } = options
  if (typeof path === 'string' && path !== '') return
  const target = path ? { path } : { port, localAddress, localPort, host: 'rejected.invalid' }
  const socket = new net.Socket()
  try {
    Reflect.apply(socketConnect ?? socket.connect, socket, [{ ...target, lookup: () => undefined }])
  } finally {
    socket.destroy()
  }
}

export const realNextTick: (body: () => void) => void = (body) => nextTick(body)

/** A socket that never connects, and fails with this error in a turn of its own. */
export function failingSocket(error: Error): RealSocket {
  const socket = new net.Socket()
  // It keeps what is written, as one that still connects does.
  Object.assign(socket, { connecting: true })
  realSetImmediate(() => socket.destroy(error))
  return socket
}

export const socketOwners = {
  get net(): typeof net {
    return net
  },
  get tls(): typeof tls {
    return tls
  },
  get dns(): typeof dns {
    return dns
  },
  get dnsPromises(): typeof dns.promises {
    return dns.promises
  },
  get resolverPrototype(): object {
    return dns.Resolver.prototype
  },
  get promisesResolverPrototype(): object {
    return dns.promises.Resolver.prototype
  },
  get dgram(): typeof dgram {
    return dgram
  },
  get dgramSocketPrototype(): object {
    return dgram.Socket.prototype
  },
  /** `options` of `createSocket`, or a type. */
  newDatagramSocket(options: unknown): RealDatagramSocket {
    return Reflect.apply(dgram.createSocket, dgram, [options])
  },
  get agentPrototype(): object {
    return http.Agent.prototype
  },
  get socketPrototype(): object {
    return net.Socket.prototype
  },
  get serverPrototype(): object {
    return net.Server.prototype
  },
} as const
