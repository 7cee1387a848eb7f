/**
 * A connected socket of the real world, for the code that records it. Bytes are read and written at the native
 * handle, without the streams of Node above it: the program's own socket is a stream already, and a second one
 * costs more than all else that a recording does with a chunk. Node's socket still opens and closes the
 * connection, and reports its end and its errors.
 *
 * The stream still writes while the socket connects, where Node denies its native classes, and over TLS: Node's TLS
 * takes one write at a time, and only the stream waits for it.
 *
 * Decision 0570.
 */
import {
  type NativeStreams,
  nativeStreams,
  type StreamHandle,
  type WriteRequest,
} from '../../real/child-handles.ts'
import type { RealSocket } from '../../real/sockets.ts'
import { outside } from '../context.ts'
import { writeError } from '../errors.ts'
import { type Closing, closeSocket } from './close-socket.ts'

type OnRead = StreamHandle['onread']

export class RealSide {
  readonly #socket: RealSocket
  readonly #received: (bytes: Uint8Array) => void
  /** The handle whose bytes are read here, and what Node's socket had set to read them. */
  #handle: StreamHandle | null = null
  #socketsRead: OnRead
  /** For the next write: one that completes at once leaves its request unused. */
  #request: WriteRequest | null = null
  /** Writes that the system has not completed yet. */
  #waitingWrites = 0
  #whenDrained: (() => void) | null = null
  readonly #isTls: boolean
  readonly #native = nativeStreams()

  constructor(socket: RealSocket, received: (bytes: Uint8Array) => void) {
    this.#socket = socket
    this.#received = received
    this.#isTls = 'encrypted' in socket
    // `on` resumes the socket, and a program may have replaced methods of sockets or of all emitters.
    outside(() => socket.on('data', received))
  }

  /** The connection is open, and TLS is ready: from now on bytes are read at the handle. */
  readDirectly(): void {
    const socket = this.#socket
    const handle = handleOf(socket)
    const native = this.#native
    // A program may have replaced methods of all streams.
    const isReady = outside(() => !socket.isPaused() && socket.readableLength === 0)
    if (handle === null || native === null || !isReady) return
    const { onread } = handle
    if (typeof onread !== 'function') return
    this.#handle = handle
    this.#socketsRead = onread
    const received = this.#received
    handle.onread = function (this: unknown, buffer) {
      if (buffer === undefined) Reflect.apply(onread, this, [buffer])
      // Node makes the handle of an accepted connection outside of any JavaScript, and so outside of every context.
      else outside(() => received(native.readBytes(buffer)))
    }
  }

  write(bytes: Uint8Array): void {
    outside(() => {
      const handle = this.#writable()
      if (handle === null || this.#native === null) this.#socket.write(bytes)
      else this.#writeDirectly(handle, this.#native, bytes)
    })
  }

  end(): void {
    outside(() => this.#socket.end())
  }

  destroy(closing: Closing): void {
    closeSocket(this.#socket, closing)
  }

  setRef(ref: boolean): void {
    outside(() => (ref ? this.#socket.ref() : this.#socket.unref()))
  }

  option(name: 'setNoDelay' | 'setKeepAlive', args: readonly unknown[]): void {
    outside(() => Reflect.apply(this.#socket[name], this.#socket, args))
  }

  /** Calls back when everything that was written has left the process. */
  whenDrained(drained: () => void): void {
    outside(() => {
      if (this.#waitingWrites > 0) this.#whenDrained = drained
      else if (this.#socket.writableNeedDrain) this.#socket.once('drain', drained)
      else drained()
    })
  }

  /** Whether bytes are read. */
  read(isReading: boolean): void {
    outside(() => {
      const handle = this.#handle
      if (handle === null) {
        if (isReading) this.#socket.resume()
        else this.#socket.pause()
      } else if (handleOf(this.#socket) === handle) {
        if (isReading) handle.readStart()
        else handle.readStop()
      }
    })
  }

  /** The socket, which something else uses from now on. */
  handOver(): RealSocket {
    const handle = this.#handle
    this.#handle = null
    if (handle !== null) handle.onread = this.#socketsRead
    outside(() => this.#socket.removeAllListeners('data'))
    return this.#socket
  }

  /** Null if the stream must write it: it keeps the order, or it fails as Node does. */
  #writable(): StreamHandle | null {
    const socket = this.#socket
    if (socket.connecting || socket.writableLength > 0 || !socket.writable) return null
    return this.#isTls ? null : handleOf(socket)
  }

  #writeDirectly(handle: StreamHandle, native: NativeStreams, bytes: Uint8Array): void {
    const request = this.#request ?? native.newRequest()
    request.oncomplete ??= (status) => this.#wrote(status)
    this.#request = request
    const status = handle.writeBuffer(request, bytes)
    if (status !== 0) this.#failed(status)
    else if (native.isLastWriteWaiting()) {
      this.#request = null
      // Alive as long as the request is.
      request.buffer = bytes
      this.#waitingWrites += 1
    }
  }

  #wrote(status: number): void {
    this.#waitingWrites -= 1
    if (status < 0) this.#failed(status)
    if (this.#waitingWrites > 0) return
    const drained = this.#whenDrained
    this.#whenDrained = null
    drained?.()
  }

  #failed(status: number): void {
    outside(() => this.#socket.destroy(writeError(status)))
  }
}

function handleOf(socket: RealSocket): StreamHandle | null {
  return Reflect.get(socket, '_handle') ?? null
}
