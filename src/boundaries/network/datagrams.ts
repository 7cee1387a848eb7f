/**
 * Datagram sockets of the program. From its first use in a session, such a socket is a stand-in: while
 * recording a real one behind it does the work, in a replay nothing does. What arrives is an input and is
 * delivered in its turn; what the program sends is compared, datagram by datagram.
 *
 * Calls that set or read an option of the socket (membership of groups, broadcast, sizes of buffers) are
 * recorded as facts, errors included.
 *
 * Does not cover sockets on a descriptor, and the synchronous forms of newer Nodes.
 *
 * Decision 0378.
 */
import { type Label, label, parseJson, textOrNull } from '../../base/index.ts'
import { type RealDatagramSocket, realNextTick, socketOwners } from '../../real/sockets.ts'
import { activeSession, outside } from '../context.ts'
import { errorFacts, errorFactsOf, errorFromFacts } from '../errors.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { type Address, datagramBytes, datagramFrom, sentDatagram } from './datagram-form.ts'
import { deniedFacts } from './dispatcher.ts'
import { isPassing, passOrRefuse } from './uncaptured.ts'

const NETWORK = label('network')
const DATAGRAM = label('datagram')

const OPTION_CALLS = [
  'addMembership',
  'addSourceSpecificMembership',
  'dropMembership',
  'dropSourceSpecificMembership',
  'getRecvBufferSize',
  'getSendBufferSize',
  'getSendQueueCount',
  'getSendQueueSize',
  'setBroadcast',
  'setMulticastInterface',
  'setMulticastLoopback',
  'setMulticastTTL',
  'setRecvBufferSize',
  'setSendBufferSize',
  'setTTL',
] as const

/** The arguments of `createSocket`: the real socket gets the same. */
const optionsOf = new WeakMap<object, unknown>()
const standIns = new WeakMap<object, StandIn>()

export function datagramPatches(): Patch[] {
  const { dgram, dgramSocketPrototype: prototype } = socketOwners
  const names = OPTION_CALLS.filter((name) => typeof Reflect.get(prototype, name) === 'function')
  const ofStandIn = (name: string, call: (own: StandIn, args: unknown[]) => unknown): Patch =>
    patchFunction(prototype, name, (original) => {
      return function (this: RealDatagramSocket, ...args: unknown[]): unknown {
        const own = standIns.get(this)
        return own === undefined || isPassing() ? Reflect.apply(original, this, args) : call(own, args)
      }
    })
  const starting = (
    name: string,
    call: (own: StandIn, args: unknown[], perform: () => unknown) => unknown,
  ): Patch =>
    patchFunction(prototype, name, (original) => {
      return function (this: RealDatagramSocket, ...args: unknown[]): unknown {
        const perform = (): unknown => Reflect.apply(original, this, args)
        const own = isPassing() || isClosed(this) ? null : standInFor(this, name, args)
        if (own === null) return perform()
        return own === 'descriptor'
          ? passOrRefuse(
              activeSession('network') ?? neverHere(),
              'a datagram socket on a descriptor',
              perform,
            )
          : call(own, args, perform)
      }
    })
  const keepingAlive = (name: string, isRef: boolean): Patch =>
    patchFunction(prototype, name, (original) => {
      return function (this: RealDatagramSocket): unknown {
        if (isRef) unreffed.delete(this)
        else unreffed.add(this)
        const own = isPassing() ? undefined : standIns.get(this)
        return own === undefined ? Reflect.apply(original, this, []) : own.setRef(isRef)
      }
    })
  return [
    patchFunction(dgram, 'createSocket', createSocket),
    starting('bind', (own, args) => own.bind(args)),
    starting('connect', (own, args) => own.connect(args)),
    starting('send', (own, args, perform) => own.send(args, perform)),
    ...names.map((name) => starting(name, (own, args) => own.option(name, args))),
    ofStandIn('address', (own) => own.address()),
    ofStandIn('remoteAddress', (own) => own.remoteAddress()),
    ofStandIn('disconnect', (own) => own.disconnect()),
    keepingAlive('ref', true),
    keepingAlive('unref', false),
    patchFunction(prototype, 'close', (original) => {
      return function (this: RealDatagramSocket, ...args: unknown[]): unknown {
        standIns.get(this)?.closed()
        standIns.delete(this)
        closedSockets.add(this)
        // The socket of the program itself has never been bound: closing it only calls its listeners.
        return Reflect.apply(original, this, args)
      }
    }),
  ]
}

const closedSockets = new WeakSet<object>()
/** Sockets that do not keep the process alive: a program may decide that before it uses one. */
const unreffed = new WeakSet<object>()

function isClosed(socket: object): boolean {
  return closedSockets.has(socket)
}

function createSocket(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const socket: object = Reflect.apply(original, this, args)
    const [options] = args
    optionsOf.set(
      socket,
      typeof options === 'object' && options !== null ? { ...options, signal: undefined } : options,
    )
    return socket
  }
}

function standInFor(
  socket: RealDatagramSocket,
  name: string,
  args: readonly unknown[],
): StandIn | 'descriptor' | null {
  const known = standIns.get(socket)
  if (known !== undefined) return known
  const session = activeSession('network')
  if (session === null) return null
  const [first] = args
  if (name === 'bind' && typeof first === 'object' && first !== null && 'fd' in first) return 'descriptor'
  const place =
    name === 'bind' ? ` bind ${JSON.stringify(args.filter((each) => typeof each !== 'function'))}` : ''
  const made = new StandIn(session, socket, `datagrams ${socket.type}${place}`)
  standIns.set(socket, made)
  if (unreffed.has(socket)) made.setRef(false)
  return made
}

function neverHere(): never {
  throw new Error('a datagram socket on a descriptor without a session')
}

type SendCallback = (error: Error | null, bytes?: number) => void

class StandIn {
  readonly #session: Session
  readonly #socket: RealDatagramSocket
  readonly #effect: Effect
  readonly #real: RealDatagramSocket | null
  readonly #callbacks = new Map<number, SendCallback>()
  #sends = 0
  #isBound = false
  #address: Address | null = null
  #remote: Address | null = null
  #isConnecting = false
  #onConnect: ((error?: Error) => void) | null = null

  constructor(session: Session, socket: RealDatagramSocket, key: string) {
    this.#session = session
    this.#socket = socket
    this.#effect = session.start(NETWORK, key, (outcome) => this.#receive(outcome), { byteStream: true })
    this.#real = this.#effect.isLive ? this.#openReal() : null
  }

  bind(args: unknown[]): unknown {
    if (this.#isBound) throw nodeError('ERR_SOCKET_ALREADY_BOUND', 'Socket is already bound')
    const listener = args.find((each) => typeof each === 'function')
    const real = this.#real
    if (real !== null)
      outside(() =>
        Reflect.apply(
          real.bind,
          real,
          args.filter((each) => typeof each !== 'function'),
        ),
      )
    this.#isBound = true
    if (typeof listener === 'function') this.#socket.once('listening', () => listener.call(this.#socket))
    return this.#socket
  }

  connect(args: unknown[]): void {
    if (this.#isConnecting) throw nodeError('ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected')
    const callback = args.find((each) => typeof each === 'function')
    const real = this.#real
    if (real !== null) {
      const done = (error?: Error): void => {
        if (error === undefined || error === null) this.#arrive({ connected: real.remoteAddress() })
        else this.#arrive({ connectFailed: errorFacts(error) })
      }
      const asked = args.filter((each) => typeof each !== 'function')
      outside(() =>
        Reflect.apply(real.connect, real, [...asked, ...(asked.length === 1 ? ['127.0.0.1'] : []), done]),
      )
    }
    this.#isBound = true
    this.#isConnecting = true
    this.#onConnect = typeof callback === 'function' ? (callback as (error?: Error) => void) : null
  }

  disconnect(): void {
    if (this.#remote === null) throw nodeError('ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected')
    const real = this.#real
    if (real !== null) outside(() => real.disconnect())
    this.#remote = null
    this.#isConnecting = false
  }

  send(args: unknown[], perform: () => unknown): unknown {
    const isConnected = this.#isConnecting
    const sent = sentDatagram(args, isConnected)
    const real = this.#real
    // Node rejects it before it does anything.
    if (sent === null) {
      if (isConnected && args.slice(3).some((each) => typeof each === 'number' || typeof each === 'string'))
        throw nodeError('ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected')
      return perform()
    }
    const { bytes, address, port, callback } = sent
    const url = `http://${address ?? '127.0.0.1'}:${port ?? 0}`
    if (URL.canParse(url) && !this.#session.allowsNetwork(url)) {
      this.#failLater(errorFromFacts(deniedFacts(url)), callback)
      return undefined
    }
    this.#sends += 1
    const id = this.#sends
    if (callback !== null) this.#callbacks.set(id, callback)
    if (real !== null) {
      const done: SendCallback = (error, count) =>
        this.#arrive({ sent: id, ...(error === null ? { bytes: count ?? 0 } : { error: errorFacts(error) }) })
      const to = isConnected ? [] : [port, address]
      outside(() => Reflect.apply(real.send, real, [bytes, ...to, ...(callback === null ? [] : [done])]))
    }
    this.#isBound = true
    const peer = isConnected
      ? null
      : { address: address ?? (this.#socket.type === 'udp6' ? '::1' : '127.0.0.1'), port: port ?? 0 }
    const message = { type: 'ws_message', message: DATAGRAM, bytes: datagramBytes(peer, bytes) } as const
    const error = this.#effect.sender?.sendMessage(message) ?? null
    if (error !== null) throw error
    return undefined
  }

  option(name: string, args: unknown[]): unknown {
    const api: Label = label(`dgram.${name}`)
    const text = this.#session.readFact(api, `${name} ${JSON.stringify(args)}`, () =>
      this.#optionText(name, args),
    )
    const answer = parseJson(text ?? '{}')
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined
    const { error, value } = answer as { readonly error?: never; readonly value?: unknown }
    if (error !== undefined) throw errorFromFacts(errorFactsOf(error))
    if (/Membership$/.test(name)) this.#isBound = true
    return value
  }

  address(): Address {
    if (this.#address === null) throw errorFromFacts(NOT_BOUND)
    return this.#address
  }

  remoteAddress(): Address {
    if (this.#remote === null) throw nodeError('ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected')
    return this.#remote
  }

  setRef(ref: boolean): RealDatagramSocket {
    this.#effect.setRef(ref)
    if (ref) this.#real?.ref()
    else this.#real?.unref()
    return this.#socket
  }

  closed(): void {
    this.#effect.close()
    const real = this.#real
    if (real !== null) outside(() => real.close())
  }

  #openReal(): RealDatagramSocket {
    return outside(() => {
      const real = socketOwners.newDatagramSocket(optionsOf.get(this.#socket) ?? this.#socket.type)
      real.on('listening', () => this.#arrive({ listening: real.address() }))
      real.on('error', (error: Error) => this.#arrive({ error: errorFacts(error) }))
      real.on('message', (bytes: Uint8Array, peer: Address) =>
        this.#effect.arrive({ type: 'ws_message', message: DATAGRAM, bytes: datagramBytes(peer, bytes) }),
      )
      return real
    })
  }

  #arrive(event: object): void {
    this.#effect.arrive({ type: 'chunk', bytes: Buffer.from(`${JSON.stringify(event)}\n`) })
  }

  #optionText(name: string, args: unknown[]): string {
    const real = this.#real
    try {
      const value: unknown =
        real === null ? undefined : outside(() => Reflect.apply(Reflect.get(real, name), real, args))
      return JSON.stringify(typeof value === 'number' || typeof value === 'boolean' ? { value } : {})
    } catch (error) {
      return JSON.stringify({ error: errorFacts(error) })
    }
  }

  #failLater(error: Error, callback: SendCallback | null): void {
    realNextTick(() => (callback === null ? void this.#socket.emit('error', error) : callback(error)))
  }

  #receive(outcome: Outcome): void {
    switch (outcome.type) {
      case 'ws_message': {
        const { bytes, peer } = datagramFrom(outcome.bytes)
        this.#socket.emit('message', bytes, { ...peer, size: bytes.length })
        return
      }
      case 'chunk':
        this.#event(parseJson(textOrNull(outcome.bytes) ?? '{}'))
        return
      case 'error':
        this.#socket.emit('error', errorFromFacts(outcome.error))
        return
      default:
        throw new Error(`a datagram socket cannot receive ${outcome.type}`)
    }
  }

  #event(event: unknown): void {
    const { listening, connected, connectFailed, error, sent, bytes } = event as Readonly<
      Record<string, never>
    >
    if (listening !== undefined) {
      this.#address = listening
      this.#socket.emit('listening')
    } else if (connected !== undefined) {
      this.#remote = connected
      const callback = this.#onConnect
      if (callback !== null) this.#socket.once('connect', () => callback())
      this.#socket.emit('connect')
    } else if (connectFailed !== undefined) {
      this.#isConnecting = false
      const failure = errorFromFacts(errorFactsOf(connectFailed))
      if (this.#onConnect === null) this.#socket.emit('error', failure)
      else this.#onConnect(failure)
    } else if (sent !== undefined) {
      const callback = this.#callbacks.get(sent)
      this.#callbacks.delete(sent)
      if (error === undefined) callback?.(null, bytes)
      else callback?.(errorFromFacts(errorFactsOf(error)))
    } else if (error !== undefined) this.#socket.emit('error', errorFromFacts(errorFactsOf(error)))
  }
}

const NOT_BOUND = {
  constructorName: 'Error',
  name: 'Error',
  message: 'getsockname EBADF',
  code: 'EBADF',
  properties: { errno: -9, syscall: 'getsockname' },
}

function nodeError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
