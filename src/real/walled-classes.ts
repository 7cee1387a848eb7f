/**
 * Node's native classes in a process under the permission model, where Node denies `process.binding`. Each is
 * the constructor of a handle that Node's public code makes before it opens, starts or connects anything.
 *
 * Nothing here acts: no process is started, nothing is connected or opened.
 *
 * Decision 0306.
 */
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'

export type NativeClass = new (...args: never[]) => object

/** The class of pipes: Node makes one for a child that has a pipe, then starts the child: there it is stopped. */
export function pipeClass(): NativeClass | null {
  const child = new childProcess.ChildProcess()
  const native: unknown = Reflect.get(child, '_handle')
  const stop = new Error('found')
  let handle: unknown
  const spawn = (...given: unknown[]): never => {
    const entries = given.flatMap((each) => (Array.isArray(each) ? each : stdioOf(each)))
    handle = entries.map((entry) => property(entry, 'handle')).find((each) => each !== undefined)
    throw stop
  }
  Reflect.set(child, '_handle', { spawn })
  try {
    Reflect.apply(Reflect.get(child, 'spawn'), child, [{ file: '-', args: ['-'], stdio: ['pipe'] }])
  } catch (error) {
    if (error !== stop) throw error
  }
  closeHandle(native)
  closeHandle(handle)
  return typeof handle === 'object' && handle !== null ? constructorOf(handle) : null
}

/** The class of TCP sockets: Node makes one, then resolves a name, which never ends here. */
export function tcpClass(): NativeClass | null {
  const socket = new net.Socket()
  socket.on('error', nothing)
  socket.connect({ host: 'localhost.invalid', port: 1, lookup: nothing })
  const handle: unknown = Reflect.get(socket, '_handle')
  const found = typeof handle === 'object' && handle !== null ? constructorOf(handle) : null
  // Not `socket.destroy()`: it reads `process.stderr`. Node would then load the class of output files, which
  // keeps the `fs.writeSync` that it finds, before the program can put a wrapper there.
  closeHandle(handle)
  return found
}

/**
 * The class of datagram sockets: a new socket has one in a private field, and opens nothing before it is bound.
 * Call it only when `node:dgram` is loaded.
 */
export function udpClass(): NativeClass | null {
  const socket = Reflect.construct(dgram.Socket, ['udp4'])
  const fields = Object.getOwnPropertySymbols(socket).map((field) => property(socket, field))
  const handle = fields.map((field) => property(field, 'handle')).find((each) => each !== undefined)
  closeHandle(handle)
  return typeof handle === 'object' && handle !== null ? constructorOf(handle) : null
}

/**
 * The class of streams whose other end is JavaScript: Node wraps any stream that it speaks TLS over, and
 * begins to read it. There it is stopped, before it makes anything of TLS.
 */
export function scriptStreamClass(): NativeClass | null {
  const stream = new Duplex({ read: nothing, write: (_bytes, _encoding, done) => done() })
  const stop = new Error('found')
  let found: NativeClass | null = null
  const { prototype } = net.Socket
  const before = Object.getOwnPropertyDescriptor(prototype, 'read')
  const read = function (this: object): never {
    const handle = property(this, '_handle')
    if (typeof handle === 'object' && handle !== null) found = constructorOf(handle)
    throw stop
  }
  Object.defineProperty(prototype, 'read', { value: read, configurable: true, writable: true })
  try {
    Reflect.construct(tls.TLSSocket, [stream])
  } catch (error) {
    if (error !== stop) throw error
  } finally {
    if (before === undefined) Reflect.deleteProperty(prototype, 'read')
    else Object.defineProperty(prototype, 'read', before)
  }
  return found
}

function stdioOf(options: unknown): readonly unknown[] {
  const stdio = property(options, 'stdio')
  return Array.isArray(stdio) ? stdio : []
}

function constructorOf(handle: object): NativeClass | null {
  const made: unknown = Reflect.get(handle, 'constructor')
  return typeof made === 'function' ? (made as NativeClass) : null
}

function closeHandle(handle: unknown): void {
  const close = property(handle, 'close')
  if (typeof close === 'function') Reflect.apply(close, handle, [])
}

function property(owner: unknown, name: PropertyKey): unknown {
  return typeof owner === 'object' && owner !== null ? Reflect.get(owner, name) : undefined
}

function nothing(): void {
  // Answers what Node calls on the way.
}
