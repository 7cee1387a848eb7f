/**
 * The real side of a recorded server: it listens at the program's address, outside the program's context, and
 * passes on what it accepts. With TLS the handshake happens here, with the options of the program's own
 * server, so that everything is recorded above the encryption.
 */
import { type RealServer, realServer, runEventsIn } from '../../real/servers.ts'
import type { RealSocket } from '../../real/sockets.ts'
import { outside } from '../context.ts'
import type { AnyFunction } from '../patches.ts'

export type LiveServerSink = {
  listening(): void
  accepted(socket: RealSocket): void
  /** A handshake failed. */
  tlsError(error: Error): void
  failed(error: Error): void
}

export class LiveServer {
  readonly #real: RealServer
  /** Accepted connections that the program has not received yet. */
  readonly #waiting: RealSocket[] = []
  readonly #sink: LiveServerSink
  #isClosed = false

  constructor(server: object, target: object, isTls: boolean, sink: LiveServerSink) {
    this.#sink = sink
    const secure = isTls ? handshakeOf(server, this) : null
    const { server: real, start } = outside(() =>
      realServer({ ...socketOptions(server), allowHalfOpen: !isTls }, (socket) =>
        outside(() => {
          runEventsIn(socket, outside)
          if (secure === null) this.accept(socket)
          else secure(socket)
        }),
      ),
    )
    this.#real = real
    // A program may have replaced methods of all emitters.
    outside(() => {
      real.on('listening', () => sink.listening())
      real.on('error', (error) => sink.failed(error))
      start(target)
    })
  }

  address(): unknown {
    return outside(() => this.#real.address())
  }

  accept(socket: RealSocket): void {
    if (this.#isClosed) {
      socket.destroy()
      return
    }
    this.#waiting.push(socket)
    this.#sink.accepted(socket)
  }

  tlsFailed(error: Error, socket: RealSocket): void {
    socket.destroy()
    if (!this.#isClosed) this.#sink.tlsError(error)
  }

  /** The next connection for the program. */
  take(): RealSocket | null {
    return this.#waiting.shift() ?? null
  }

  setRef(ref: boolean): void {
    outside(() => (ref ? this.#real.ref() : this.#real.unref()))
  }

  close(): void {
    this.#isClosed = true
    for (const socket of this.#waiting.splice(0)) outside(() => socket.destroy())
    // A server that never listened cannot be closed.
    if (this.#real.listening) outside(() => this.#real.close())
  }
}

function socketOptions(server: object): Record<string, unknown> {
  const names = ['noDelay', 'keepAlive', 'keepAliveInitialDelay', 'highWaterMark']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value: unknown = Reflect.get(server, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/**
 * The first listener for connections of a `tls.Server` is Node's own: it creates the TLS socket. It runs on a
 * view of the server whose events come here.
 */
function handshakeOf(server: object, live: LiveServer): (socket: RealSocket) => void {
  const listeners: unknown = outside(() =>
    Reflect.apply(Reflect.get(server, 'listeners') as AnyFunction, server, ['connection']),
  )
  const handshake = Array.isArray(listeners) ? (listeners[0] as AnyFunction) : () => undefined
  const emit = (event: string, ...args: unknown[]): boolean => {
    if (event === 'secureConnection') live.accept(halfOpen(args[0] as RealSocket))
    else if (event === 'tlsClientError') live.tlsFailed(args[0] as Error, args[1] as RealSocket)
    else return Reflect.apply(Reflect.get(server, 'emit') as AnyFunction, server, [event, ...args]) === true
    return true
  }
  const view: object = Object.create(server, { emit: { value: emit } })
  return (socket) => void Reflect.apply(handshake, view, [socket])
}

/**
 * From here on the program's side decides when the connection ends. Before, during the handshake, a client that leaves
 * must end it: Node's TLS reports that, and would wait for the handshake until its time is over.
 */
function halfOpen(socket: RealSocket): RealSocket {
  socket.allowHalfOpen = true
  return socket
}
