/**
 * `listen` of every server over TCP, TLS or a Unix socket. The program's own server gets a stand-in for its
 * handle, in both modes. A recording really listens with a second server and passes on what it accepts; a
 * replay opens nothing. Each connection becomes a stand-in socket that is emitted on the program's server.
 *
 * A server that gets a descriptor, or its own handle, is a gap.
 *
 * Decision 0325.
 */
import { fieldsOf, type Json, label, parseJson, utf8 } from '../../base/index.ts'
import { connectOptions, type RealSocket, realNextTick } from '../../real/sockets.ts'
import { activeSession } from '../context.ts'
import { errorFacts, errorFactsOf, errorFromFacts } from '../errors.ts'
import { factsOf } from '../network/live-connection.ts'
import { isPassing, passOrRefuse } from '../network/uncaptured.ts'
import type { AnyFunction } from '../patches.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { type Address, ListeningHandle } from './listening-handle.ts'
import { LiveServer } from './live-server.ts'
import { openServed } from './served-connection.ts'
import { schemeOf } from './server-protocol.ts'

const NETWORK = label('network')
const ADDRESS = label('net.Server.address')

type Options = Readonly<Record<string, unknown>>
/** The part of a `net.Server` that this file uses. */
type ProgramServer = {
  _handle: unknown
  _pipeName?: string
  _unref?: boolean
  _connections: number
  maxConnections?: number | null
  pauseOnConnect?: boolean
  allowHalfOpen?: boolean
  emit(event: string, ...args: unknown[]): boolean
  once(event: string, listener: unknown): unknown
  close(): unknown
  listenerCount(event: string): number
}

export function listening(original: AnyFunction): AnyFunction {
  return function listen(this: ProgramServer, ...args: unknown[]): unknown {
    const session = activeSession('network')
    const perform = (): unknown => Reflect.apply(original, this, args)
    if (session === null || isPassing()) return perform()
    const [options, callback] = connectOptions(args)
    // Node throws for these before it opens anything.
    if (this._handle || !isValid(options)) return perform()
    if (isUncaptured(options)) return passOrRefuse(session, 'a server that listens', perform)
    if (typeof callback === 'function') this.once('listening', callback)
    try {
      new Listening(session, this, options)
    } catch (error) {
      // A replay has no such server: it fails as one that cannot listen.
      this._handle = null
      if (session.isLive(NETWORK)) throw error
      realNextTick(() => this.emit('error', error))
    }
    return this
  }
}

class Listening {
  readonly #session: Session
  readonly #server: ProgramServer
  readonly #key: string
  readonly #tls: boolean
  readonly #handle: ListeningHandle
  readonly #effect: Effect
  readonly #live: LiveServer | null
  #connections = 0

  constructor(session: Session, server: ProgramServer, options: Options) {
    this.#session = session
    this.#server = server
    this.#tls = 'setSecureContext' in server
    this.#key = `listen ${schemeOf(server, this.#tls)}://${addressName(options)}`
    const path = pathOf(options)
    if (path !== null) server._pipeName = path
    this.#handle = new ListeningHandle(path === null, {
      addressNow: () => this.#addressNow(),
      close: () => this.#close(),
      setRef: (ref) => this.#setRef(ref),
    })
    server._handle = this.#handle
    this.#effect = session.start(NETWORK, this.#key, (outcome) => this.#receive(outcome), {
      server: 'listening',
      ref: server._unref !== true,
    })
    this.#live = this.#effect.isLive ? this.#listen(options) : null
    if (server._unref === true) this.#live?.setRef(false)
    const { signal } = options
    if (signal instanceof AbortSignal) closeOnAbort(server, signal)
  }

  #listen({ signal: _, ...target }: Options): LiveServer {
    const live = new LiveServer(this.#server, target, this.#tls, {
      listening: () => this.#arrive({ listening: asJson(live.address()) }),
      accepted: (socket) => this.#arrive({ connection: asJson(factsOf(socket, this.#tls)) }),
      tlsError: (error) => this.#arrive({ tls_error: asJson(errorFacts(error)) }),
      failed: (error) => this.#effect.arrive({ type: 'error', error: errorFacts(error) }),
    })
    return live
  }

  #arrive(event: Json): void {
    this.#effect.arrive({ type: 'chunk', bytes: utf8(JSON.stringify(event)) })
  }

  #receive(outcome: Outcome): void {
    const server = this.#server
    if (outcome.type === 'error') {
      server._handle = null
      this.#close()
      server.emit('error', errorFromFacts(outcome.error))
      return
    }
    if (outcome.type !== 'chunk') throw new Error(`a server cannot receive ${outcome.type}`)
    const event = fieldsOf(parseJson(Buffer.from(outcome.bytes).toString()))
    if (event.listening !== undefined) {
      this.#handle.address = addressOf(event.listening)
      server.emit('listening')
    } else if (event.tls_error !== undefined) this.#tlsError(event.tls_error)
    else if (event.connection !== undefined) this.#connect(fieldsOf(event.connection))
  }

  #connect(facts: Options): void {
    const server = this.#server
    const real: RealSocket | null = this.#live?.take() ?? null
    this.#connections += 1
    const socket = openServed(
      this.#session,
      { key: `connection ${this.#connections} of ${this.#key}`, tls: this.#tls, facts },
      server,
      real,
    )
    if (typeof server.maxConnections === 'number' && server._connections >= server.maxConnections) {
      socket.destroy()
      server.emit('drop', droppedFacts(facts))
      return
    }
    server._connections += 1
    Object.assign(socket, { server, _server: server })
    if (server.pauseOnConnect === true) socket.pause()
    server.emit(this.#tls ? 'secureConnection' : 'connection', socket)
  }

  #tlsError(facts: Json): void {
    const socket = openServed(this.#session, null, this.#server, null)
    const error = errorFromFacts(errorFactsOf(facts))
    // As Node does: the socket is destroyed before the event. A listener that destroys it with the error, such
    // as that of `https`, must not make it emit the error.
    socket.destroy()
    this.#server.emit('tlsClientError', error, socket)
  }

  /** A program may read it before the `listening` event. */
  #addressNow(): Address | null {
    const text = this.#session.readFact(ADDRESS, this.#key, () => {
      const address = this.#live?.address() ?? null
      return address === null ? null : JSON.stringify(address)
    })
    return text === null ? null : addressOf(parseJson(text))
  }

  #close(): void {
    this.#effect.close()
    this.#live?.close()
  }

  #setRef(ref: boolean): void {
    this.#effect.setRef(ref)
    this.#live?.setRef(ref)
  }
}

/** Arguments that Node itself rejects are left to it. */
function isValid(options: Options): boolean {
  const { port, path, fd } = options
  if (isHandle(options) || typeof fd === 'number') return true
  if (typeof path === 'string') return true
  if (port === undefined || port === null) return 'port' in options
  const number = typeof port === 'string' && port.trim() !== '' ? Number(port) : port
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 65_535
}

function isHandle(options: Options): boolean {
  return '_handle' in options || 'handle' in options || 'getsockname' in options
}

function isUncaptured(options: Options): boolean {
  return isHandle(options) || typeof options.fd === 'number'
}

function pathOf({ path, port }: Options): string | null {
  return typeof path === 'string' && (port === undefined || port === null) ? path : null
}

function addressName(options: Options): string {
  const path = pathOf(options)
  if (path !== null) return `unix:${path}`
  const host = typeof options.host === 'string' ? options.host : '*'
  return `${host.includes(':') ? `[${host}]` : host}:${Number(options.port ?? 0)}`
}

function addressOf(value: Json): Address | null {
  const { address, family, port } = fieldsOf(value)
  if (typeof address !== 'string' || typeof family !== 'string' || typeof port !== 'number') return null
  return { address, family, port }
}

function droppedFacts({
  localAddress,
  localPort,
  localFamily,
  remoteAddress,
  remotePort,
  remoteFamily,
}: Options) {
  return { localAddress, localPort, localFamily, remoteAddress, remotePort, remoteFamily }
}

/** A value of Node that is plain data. */
function asJson(value: unknown): Json {
  return parseJson(JSON.stringify(value ?? null))
}

function closeOnAbort(server: ProgramServer, signal: AbortSignal): void {
  if (signal.aborted) realNextTick(() => void server.close())
  else signal.addEventListener('abort', () => void server.close(), { once: true })
}
