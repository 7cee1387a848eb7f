/**
 * Sockets that read into a buffer of the program (`onread` of `net.connect`): each piece is a call of its
 * function, and there is no `data`. If the function returns false, or the socket is paused, the next pieces
 * wait for `resume`.
 */
import type { Duplex } from 'node:stream'

type ReadCallback = (this: unknown, bytes: number, buffer: Uint8Array) => unknown

export type OwnBuffer = {
  readonly buffer: Uint8Array | (() => unknown)
  readonly callback: ReadCallback
}

export type BufferReader = {
  /** Returns false if the program wants no more for now. */
  push(bytes: Uint8Array): boolean
  /** Calls back when the program has read everything. */
  whenRead(read: () => void): void
}

/** The option `onread`; null where Node ignores it. */
export function ownBufferOf(onread: unknown): OwnBuffer | null {
  if (typeof onread !== 'object' || onread === null) return null
  const buffer: unknown = Reflect.get(onread, 'buffer')
  const callback: unknown = Reflect.get(onread, 'callback')
  if (typeof callback !== 'function') return null
  if (typeof buffer !== 'function' && !(buffer instanceof Uint8Array)) return null
  return { buffer: buffer as OwnBuffer['buffer'], callback: callback as ReadCallback }
}

/** That of a socket which the program created itself: Node keeps it under symbols. */
export function ownBufferIn(socket: object): OwnBuffer | null {
  const kept = (name: string): unknown => {
    const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === name)
    return key === undefined ? null : Reflect.get(socket, key)
  }
  return ownBufferOf({ buffer: kept('kBufferGen') ?? kept('kBuffer'), callback: kept('kBufferCb') })
}

/** `wantsMore` is called when the program reads on after it wanted no more. */
export function readIntoBuffer(
  socket: Duplex,
  { buffer, callback }: OwnBuffer,
  wantsMore: () => void,
): BufferReader {
  let current = typeof buffer === 'function' ? new Uint8Array(0) : buffer
  let waiting: Uint8Array = new Uint8Array(0)
  let isStopped = false
  let whenRead: (() => void) | null = null
  const renew = (): void => {
    const next: unknown = typeof buffer === 'function' ? buffer() : null
    if (next instanceof Uint8Array) current = next
  }
  const pass = (): void => {
    while (waiting.byteLength > 0 && !isStopped && !socket.destroyed && current.byteLength > 0) {
      const piece = waiting.subarray(0, current.byteLength)
      waiting = waiting.subarray(piece.byteLength)
      current.set(piece)
      if (Reflect.apply(callback, socket, [piece.byteLength, current]) === false) isStopped = true
      renew()
    }
    if (waiting.byteLength > 0 || isStopped) return
    const read = whenRead
    whenRead = null
    read?.()
  }
  const go = (): void => {
    if (!isStopped) return
    isStopped = false
    pass()
    if (!isStopped) wantsMore()
  }
  const { pause, resume } = socket
  const own = (name: string, value: unknown): void => {
    Object.defineProperty(socket, name, { value, configurable: true, writable: true, enumerable: false })
  }
  own('pause', () => {
    isStopped = true
    return Reflect.apply(pause, socket, [])
  })
  own('resume', () => {
    Reflect.apply(resume, socket, [])
    go()
    return socket
  })
  renew()
  return {
    push(bytes) {
      waiting = waiting.byteLength === 0 ? bytes : Buffer.concat([waiting, bytes])
      pass()
      return !isStopped
    },
    whenRead(read) {
      whenRead = read
      pass()
    },
  }
}
