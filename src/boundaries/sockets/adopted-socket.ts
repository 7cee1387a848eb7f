/**
 * A socket that the program created itself (`new net.Socket()`) and connects explicitly. It stays the
 * program's own object, with its listeners. From `connect` on it has no connection below it: written bytes go
 * to the creator's side, and bytes to read are pushed.
 *
 * The methods are properties of the object, because Node's own class uses a native handle.
 *
 * Decision 0322.
 */
import { type RealSocket, realNextTick } from '../../real/sockets.ts'
import type { ClientSocket, ConnectionFacts, SocketEnds } from './client-socket.ts'
import { ownBufferIn, readIntoBuffer } from './own-buffer.ts'

type Done = (error?: Error | null) => void

/** Returns the socket as its creator's side sees it. */
export function adoptSocket(socket: RealSocket, ends: SocketEnds): ClientSocket {
  let facts: ConnectionFacts = {}
  let isReset = false
  let bytesRead = 0
  let bytesWritten = 0
  let unfinished: (() => void) | null = null

  reopen(socket)
  const limit = socket.timeout
  // Node's own timer of the socket is not recorded: ours replaces it.
  if (limit !== undefined && limit > 0) socket.setTimeout(0)
  Object.assign(socket, { connecting: true })

  const ownBuffer = ownBufferIn(socket)
  const buffer = ownBuffer === null ? null : readIntoBuffer(socket, ownBuffer, () => ends.wantsMore())
  const end = (): void => {
    if (socket.destroyed) return
    socket.push(null)
    // As Node does: if there is nothing to read, the end arrives even if nothing reads.
    socket.read(0)
  }

  const client: ClientSocket = {
    get connecting() {
      return socket.connecting
    },
    get destroyed() {
      return socket.destroyed
    },
    get writableFinished() {
      return socket.writableFinished
    },
    connected(known) {
      if (socket.destroyed || !socket.connecting) return
      facts = known
      const { lookup } = known
      if (lookup !== undefined) socket.emit('lookup', null, lookup.address, lookup.family, lookup.host)
      Object.assign(socket, { connecting: false })
      socket.emit('connect')
      socket.emit('ready')
    },
    receiveBytes(bytes) {
      if (socket.destroyed || socket.readableEnded || bytes.byteLength === 0) return true
      bytesRead += bytes.byteLength
      if (buffer !== null) return buffer.push(bytes)
      return socket.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    },
    receiveEnd() {
      if (buffer === null) end()
      else buffer.whenRead(end)
    },
    drained() {
      const finish = unfinished
      unfinished = null
      finish?.()
    },
    timedOut: () => void socket.emit('timeout'),
    destroy: (error) => void socket.destroy(error),
  }

  const send = (bytes: Buffer, done: Done): void => {
    bytesWritten += bytes.byteLength
    let isDone: boolean
    try {
      isDone = ends.write(bytes)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    ends.activity()
    if (!isDone) unfinished = done
    else if (socket.connecting) socket.once('connect', () => done())
    else done()
  }

  const setIdleLimit = (ms: number, listener?: () => void): RealSocket => {
    if (socket.destroyed) return socket
    Object.assign(socket, { timeout: ms })
    if (ms === 0) {
      if (listener !== undefined) socket.removeListener('timeout', listener)
    } else if (listener !== undefined) socket.once('timeout', listener)
    ends.setIdleLimit(ms)
    return socket
  }

  const set = (methods: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(methods))
      Object.defineProperty(socket, name, { value, configurable: true, writable: true, enumerable: false })
  }
  const show = (name: string, get: () => unknown): void => {
    Object.defineProperty(socket, name, { get, configurable: true, enumerable: false })
  }
  set({
    _read: () => ends.wantsMore(),
    _write: (chunk: Buffer | string, encoding: BufferEncoding, done: Done) =>
      send(bytesOf(chunk, encoding), done),
    _writev: (chunks: readonly { chunk: Buffer | string; encoding: BufferEncoding }[], done: Done) =>
      send(Buffer.concat(chunks.map(({ chunk, encoding }) => bufferOf(chunk, encoding))), done),
    _final(done: Done) {
      const finish = (): void => {
        ends.end()
        done()
      }
      if (socket.connecting) socket.once('connect', finish)
      else finish()
    },
    _destroy(error: Error | null, done: Done) {
      Object.assign(socket, { connecting: false })
      ends.destroyed(isReset)
      done(error)
      realNextTick(() => socket.emit('close', error !== null))
    },
    setTimeout: setIdleLimit,
    setNoDelay(...args: unknown[]) {
      ends.option('setNoDelay', args)
      return socket
    },
    setKeepAlive(...args: unknown[]) {
      ends.option('setKeepAlive', args)
      return socket
    },
    ref() {
      ends.setRef(true)
      return socket
    },
    unref() {
      ends.setRef(false)
      return socket
    },
    resetAndDestroy() {
      isReset = true
      return socket.destroy()
    },
    address: () =>
      facts.localAddress === undefined
        ? {}
        : { address: facts.localAddress, family: facts.localFamily, port: facts.localPort },
  })
  for (const name of FACTS) show(name, () => facts[name])
  show('pending', () => socket.connecting)
  show('bytesRead', () => bytesRead)
  show('bytesWritten', () => bytesWritten)
  if (limit !== undefined && limit > 0) setIdleLimit(limit)
  return client
}

const FACTS = [
  'remoteAddress',
  'remoteFamily',
  'remotePort',
  'localAddress',
  'localFamily',
  'localPort',
] as const

/** A copy: the program may change its bytes later. */
function bytesOf(chunk: Buffer | string, encoding: BufferEncoding): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
}

function bufferOf(chunk: Buffer | string, encoding: BufferEncoding): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
}

/** A socket that was closed can be connected again, as a new stream. */
function reopen(socket: RealSocket): void {
  const undestroy: unknown = Reflect.get(socket, '_undestroy')
  if (socket.destroyed && typeof undestroy === 'function') Reflect.apply(undestroy, socket, [])
  if (Object.hasOwn(socket, 'write')) Reflect.deleteProperty(socket, 'write')
}
