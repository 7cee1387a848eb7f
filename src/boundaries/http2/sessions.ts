/**
 * Sessions of `node:http2`, and the values that Node itself puts into them: the payload and the duration of a
 * ping, and the `date` of a response. These become reads of the session, so that a replay has the recorded
 * ones.
 *
 * Decision 0371.
 */
import { label } from '../../base/index.ts'
import { http2Classes, http2Owners } from '../../real/http2.ts'
import { activeSession, outside } from '../context.ts'
import { type AnyFunction, installPatches, type Patch, patchFunction } from '../patches.ts'
import { sessionField } from '../session-field.ts'
import { StandInSocket } from '../sockets/stand-in-socket.ts'
import { withRecordedDate } from './answer-date.ts'
import { answeringWithDescriptor, answeringWithFile } from './file-answers.ts'
import { giveSessionHandle } from './session-handle.ts'

const DURATION = label('http2.ping')

/** Prototypes of servers and streams. */
const patched = new WeakSet<object>()
let connecting = 0

/** Whether `http2.connect` is opening a connection right now. */
export function isConnectingHttp2(): boolean {
  return connecting > 0
}

export function http2Patches(): Patch[] {
  const { http2 } = http2Owners
  return [
    patchFunction(http2, 'connect', connectingSession),
    patchFunction(http2, 'createServer', creatingServer),
    patchFunction(http2, 'createSecureServer', creatingServer),
    ...(typeof Reflect.get(http2, 'performServerHandshake') === 'function'
      ? [patchFunction(http2, 'performServerHandshake', handshaking)]
      : []),
  ]
}

let areSessionsPatched = false

/**
 * Node exports no class of sessions: it is taken from a session of ours, when the program first needs one.
 * Not when `http2` is loaded: that can be in the middle of loading `tls`, which a session needs.
 */
function patchSessions(): void {
  if (areSessionsPatched) return
  areSessionsPatched = true
  installPatches([patchFunction(outside(http2Classes).session, 'ping', withRecordedPing)], false)
}

function creatingServer(original: AnyFunction): AnyFunction {
  return function createServer(this: unknown, ...args: unknown[]): unknown {
    patchSessions()
    const server: unknown = Reflect.apply(original, this, args)
    const prototype: object | null = Object.getPrototypeOf(Object(server))
    if (prototype !== null && !patched.has(prototype)) {
      patched.add(prototype)
      installPatches([patchFunction(prototype, 'emit', notingStreams)], false)
    }
    return server
  }
}

function connectingSession(original: AnyFunction): AnyFunction {
  return function connect(this: unknown, ...args: unknown[]): unknown {
    if (activeSession('network') === null) return Reflect.apply(original, this, args)
    patchSessions()
    const [authority, options, ...rest] = args
    connecting += 1
    try {
      return Reflect.apply(original, this, [authority, withHandles(options), ...rest])
    } finally {
      connecting -= 1
    }
  }
}

/** A socket that the program opens for its session is a stand-in too. */
function withHandles(options: unknown): unknown {
  if (typeof options !== 'object' || options === null) return options
  const create: unknown = Reflect.get(options, 'createConnection')
  if (typeof create !== 'function') return options
  return {
    ...options,
    createConnection: (...args: unknown[]): unknown => prepared(Reflect.apply(create, options, args)),
  }
}

function handshaking(original: AnyFunction): AnyFunction {
  return function performServerHandshake(this: unknown, ...args: unknown[]): unknown {
    patchSessions()
    prepared(args[0])
    return Reflect.apply(original, this, args)
  }
}

/** Before an HTTP/2 server receives a connection, the connection gets what a session needs. */
function notingStreams(original: AnyFunction): AnyFunction {
  return function emit(this: unknown, ...args: unknown[]): unknown {
    const [event, subject] = args
    if (event === 'connection' || event === 'secureConnection') prepareServed(subject)
    else if (event === 'stream') noteStream(subject)
    return Reflect.apply(original, this, args)
  }
}

function prepared(socket: unknown): unknown {
  if (socket instanceof StandInSocket) giveSessionHandle(socket)
  return socket
}

function prepareServed(socket: unknown): void {
  const protocol: unknown = Reflect.get(Object(socket), 'alpnProtocol')
  if (protocol !== false && protocol !== 'http/1.1') prepared(socket)
}

/** Node exports no class for the streams of a server: the first stream has it. */
function noteStream(stream: unknown): void {
  const prototype: object | null = Object.getPrototypeOf(Object(stream))
  if (prototype === null || patched.has(prototype) || !Object.hasOwn(prototype, 'respond')) return
  patched.add(prototype)
  const [respond, respondWithFD] = [answer(prototype, 'respond'), answer(prototype, 'respondWithFD')]
  const nodes = { respond, respondWithFD }
  const withFile = answeringWithFile(nodes)
  const withDescriptor = answeringWithDescriptor(nodes)
  installPatches([
    patchFunction(prototype, 'respond', withRecordedDate(0)),
    patchFunction(prototype, 'respondWithFD', (original) => withRecordedDate(1)(withDescriptor(original))),
    patchFunction(prototype, 'respondWithFile', (original) => withRecordedDate(1)(withFile(original))),
  ])
}

function answer(prototype: object, name: string): AnyFunction {
  return Reflect.get(prototype, name) as AnyFunction
}

/** How many pings each session has sent. */
const pings = sessionField(() => ({ count: 0 }))

function withRecordedPing(original: AnyFunction): AnyFunction {
  return function ping(this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('network')
    const callback = args.find((arg) => typeof arg === 'function') as AnyFunction | undefined
    if (session === null || callback === undefined) return Reflect.apply(original, this, args)
    const sent = pings.get(session)
    sent.count += 1
    const name = String(sent.count)
    const received = (error: unknown, duration: unknown, payload: unknown): void => {
      if (error !== null) callback(error)
      else {
        const ms = session.readFact(DURATION, name, () => String(duration))
        callback(null, Number(ms ?? duration), payload)
      }
    }
    const payload =
      typeof args[0] === 'function' || args[0] === undefined ? countedPayload(sent.count) : args[0]
    return Reflect.apply(original, this, [payload, received])
  }
}

/** Node's own payload is a time. */
function countedPayload(count: number): Buffer {
  const payload = Buffer.alloc(8)
  payload.writeUInt32BE(count, 4)
  return payload
}
