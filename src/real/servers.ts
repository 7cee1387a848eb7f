/** Servers, captured before anything is patched: the originals that listen for a recording. */
import http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'

export type RealServer = net.Server

let listen: typeof net.Server.prototype.listen | null = null

/** Called by the code that patches it, before it patches. */
export function captureListen(): void {
  listen ??= net.Server.prototype.listen
}

/** A server that only accepts: what it accepts goes to `accept`. It listens when `start` is called. */
export function realServer(
  options: Readonly<Record<string, unknown>>,
  accept: (socket: net.Socket) => void,
): { readonly server: RealServer; start(target: object): void } {
  const server = net.createServer({ ...options }, accept)
  return {
    server,
    start: (target) => void Reflect.apply(listen ?? server.listen, server, [target]),
  }
}

type Callback = (...args: unknown[]) => unknown
type Handle = { onread?: Callback; close: Callback }

/**
 * Runs what Node does when bytes arrive on an accepted socket, or when it is closed, in `scope`. Node makes the
 * handle of such a socket outside of any JavaScript, so the context of the server does not reach its events.
 */
export function runEventsIn(socket: net.Socket, scope: <T>(body: () => T) => T): void {
  const handle: Handle | null | undefined = Reflect.get(socket, '_handle')
  if (handle == null) return
  const { onread, close } = handle
  if (typeof onread === 'function')
    handle.onread = function (this: unknown, ...args: unknown[]) {
      return scope(() => Reflect.apply(onread, this, args))
    }
  handle.close = function (this: unknown, closed?: unknown) {
    const then =
      typeof closed === 'function'
        ? [(...args: unknown[]) => scope(() => Reflect.apply(closed, handle, args))]
        : []
    return Reflect.apply(close, this, then)
  }
}

export const serverOwners = {
  /** Null in a program that loaded `_tls_wrap` first: Node's `tls` has no functions then. */
  get tlsServerPrototype(): object | null {
    const server: { readonly prototype: object } | undefined = Reflect.get(tls, 'Server')
    return server?.prototype ?? null
  },
  get outgoingMessagePrototype(): object {
    return http.OutgoingMessage.prototype
  },
} as const
