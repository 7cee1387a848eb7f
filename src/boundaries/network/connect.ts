/**
 * Returns stand-in sockets where a client opens a connection: `net.connect`, `tls.connect`, and the agents of
 * `node:http` that hold the original. Every HTTP/1 client of Node ends here: `node:http`, `node:https`, npm's
 * undici with any of its dispatchers, and what is built on them; every database client too.
 *
 * Decision 0080.
 */
import { addAbortSignal } from 'node:stream'
import { label } from '../../base/index.ts'
import {
  connectOptions,
  failingSocket,
  isIp,
  type RealSocket,
  realNetConnect,
  socketOwners,
} from '../../real/sockets.ts'
import { activeSession } from '../context.ts'
import { errorFromFacts } from '../errors.ts'
import { giveSessionHandle } from '../http2/session-handle.ts'
import { isConnectingHttp2 } from '../http2/sessions.ts'
import { type AnyFunction, disguise, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { adoptSocket } from '../sockets/adopted-socket.ts'
import type { SocketEnds } from '../sockets/client-socket.ts'
import { ownBufferOf } from '../sockets/own-buffer.ts'
import { makeSocketsOfStandIns, StandInSocket } from '../sockets/stand-in-socket.ts'
import { type OpenConnection, openConnection } from './connection.ts'
import { deniedFacts } from './dispatcher.ts'
import { keepDispatchers } from './fetch.ts'
import { throwIfRefused } from './refused-target.ts'
import { type Target, targetName } from './target.ts'
import { isPassing, passOrRefuse } from './uncaptured.ts'

type Options = Readonly<Record<string, unknown>>

const NETWORK = label('network')

const connectOnce = oncePerOriginal(netConnect)

export function connectPatches(): Patch[] {
  const { net } = socketOwners
  realNetConnect()
  makeSocketsOfStandIns()
  return [
    replacing(net, 'connect', connectOnce),
    replacing(net, 'createConnection', connectOnce),
    patchFunction(socketOwners.socketPrototype, 'connect', connectByHand),
  ]
}

/** Newer Nodes look `net.createConnection` up when they connect. */
export function agentPatches(): Patch[] {
  return agentHoldsOriginal() ? [replacing(socketOwners.agentPrototype, 'createConnection', connectOnce)] : []
}

/** A program that loads `_tls_wrap` first gets a `tls` without functions, from Node itself. */
export function tlsPatches(): Patch[] {
  if (typeof Reflect.get(socketOwners.tls, 'connect') !== 'function') return []
  return [replacing(socketOwners.tls, 'connect', oncePerOriginal(tlsConnect))]
}

function netConnect(original: AnyFunction): AnyFunction {
  return function connect(this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('network')
    if (session === null || isPassing()) return Reflect.apply(original, this, args)
    const [options, listener] = connectOptions(args)
    return standIn(
      session,
      'http',
      options,
      listener,
      (real) => Reflect.apply(original, this, [real]) as RealSocket,
    )
  }
}

function tlsConnect(original: AnyFunction): AnyFunction {
  return function connect(this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('network')
    if (session === null || isPassing()) return Reflect.apply(original, this, args)
    const [first, listener] = connectOptions(args)
    const options = { ...first, ...args.slice(1).find(isOptions) }
    const { socket } = options
    if (socket !== undefined && socket !== null) {
      const below = byObject.get(Object(socket))
      if (below !== undefined) return tlsOver(session, below, options, listener, original)
      return passOrRefuse(session, 'tls over a connection of its own', () =>
        Reflect.apply(original, this, args),
      )
    }
    return standIn(
      session,
      'https',
      options,
      listener,
      (real) => Reflect.apply(original, this, [real]) as RealSocket,
    )
  }
}

/** The connection of each socket that a program holds. */
const byObject = new WeakMap<object, OpenConnection>()

/** `new net.Socket().connect(…)`. */
function connectByHand(original: AnyFunction): AnyFunction {
  return function connect(this: RealSocket, ...args: unknown[]): unknown {
    const session = activeSession('network')
    if (session === null || isPassing()) return Reflect.apply(original, this, args)
    // `net.connect` itself passes arguments that it has parsed already.
    const [options, listener] = (Array.isArray(args[0]) ? args[0] : connectOptions(args)) as [
      Options,
      unknown,
    ]
    const name = targetName(options)
    if (Reflect.get(this, 'encrypted') === true)
      return passOrRefuse(session, `a TLS socket that is connected by hand: ${name}`, () =>
        Reflect.apply(original, this, args),
      )
    throwIfRefused(options)
    const { signal: _signal, onread: _onread, ...others } = options
    const forReal = { ...others, allowHalfOpen: this.allowHalfOpen }
    const open = (): RealSocket => realNetConnect()(forReal as never)
    const target = { scheme: 'http', name } as const
    const openReal = allowed(session, `http://${name}`, open)
    byObject.set(
      this,
      openConnection(session, target, (ends) => adoptSocket(this, ends), openReal),
    )
    if (typeof listener === 'function') this.once('connect', listener as () => void)
    return this
  }
}

/** TLS over an open connection: `STARTTLS`, a tunnel through a proxy. */
function tlsOver(
  session: Session,
  below: OpenConnection,
  options: Options,
  listener: unknown,
  original: AnyFunction,
): unknown {
  const name =
    options.host === undefined || options.port === undefined ? below.target.name : targetName(options)
  const socket = below.handOver()
  const standIn = made(session, { scheme: 'https', name }, options, listener, (real) =>
    Reflect.apply(original, undefined, [{ ...real, socket }]),
  )
  standIn.once('close', () => below.destroy())
  below.onDestroyed(() => standIn.destroy())
  return standIn
}

function standIn(
  session: Session,
  scheme: Target['scheme'],
  options: Options,
  listener: unknown,
  open: (options: Options) => RealSocket,
): unknown {
  throwIfRefused(options)
  return made(session, { scheme, name: targetName(options) }, options, listener, open)
}

function made(
  session: Session,
  target: Target,
  options: Options,
  listener: unknown,
  open: (options: Options) => RealSocket,
): StandInSocket {
  keepDispatchers(session)
  const { signal, timeout, onread, ...forReal } = options
  const isTls = target.scheme === 'https'
  const standInOptions = {
    allowHalfOpen: options.allowHalfOpen === true,
    tls: isTls ? servernameOf(options) : null,
    ownBuffer: ownBufferOf(onread),
  }
  const openReal = allowed(session, `${target.scheme}://${target.name}`, () => open(forReal))
  const make = (ends: SocketEnds): StandInSocket => new StandInSocket(standInOptions, ends)
  const connection = openConnection(session, target, make, openReal)
  const { socket } = connection
  byObject.set(socket, connection)
  if (isConnectingHttp2()) giveSessionHandle(socket)
  if (typeof listener === 'function') socket.once(isTls ? 'secureConnect' : 'connect', listener as () => void)
  if (typeof timeout === 'number' && timeout > 0) socket.setTimeout(timeout)
  if (signal instanceof AbortSignal) addAbortSignal(signal, socket)
  return socket
}

/** Opens the real connection, or one that fails if the network policy denies the host. */
function allowed(session: Session, url: string, open: () => RealSocket): () => RealSocket {
  const denied = session.isLive(NETWORK) && !session.allowsNetwork(url)
  return denied ? () => failingSocket(errorFromFacts(deniedFacts(url))) : open
}

function servernameOf({ servername, host }: Options): { readonly servername?: string } {
  const name = servername ?? (typeof host === 'string' && !isIp(host) ? host : undefined)
  return typeof name === 'string' ? { servername: name } : {}
}

function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null
}

/** `net.connect`, `net.createConnection` and an agent's are the same function, and so are their stand-ins. */
function oncePerOriginal(
  make: (original: AnyFunction) => AnyFunction,
): (original: AnyFunction) => AnyFunction {
  const made = new WeakMap<AnyFunction, AnyFunction>()
  return (original) => {
    const replacement = made.get(original) ?? disguise(make(original), original)
    made.set(original, replacement)
    return replacement
  }
}

function replacing(owner: object, property: string, make: (original: AnyFunction) => AnyFunction): Patch {
  return {
    owner,
    property,
    replace: (descriptor) => ({ ...descriptor, value: make(descriptor.value as AnyFunction) }),
  }
}

let held: boolean | null = null

/**
 * Read once, before anything is patched: a second user of the patches must have the same list as the first.
 * One that is loaded later holds our stand-in.
 */
function agentHoldsOriginal(): boolean {
  held ??= Reflect.get(socketOwners.agentPrototype, 'createConnection') === realNetConnect()
  return held
}
