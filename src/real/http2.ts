/**
 * Sessions of HTTP/2, captured before anything is patched: the originals, and the class of Node's own that lets
 * native code read and write a stream of JavaScript.
 */
import http2 from 'node:http2'
import { Duplex } from 'node:stream'

/** The request of a native write or shutdown. */
type NativeRequest = object

/** Node's `JSStream`: native code calls the `on…` functions, and is answered by the others. */
export type NativeStream = {
  close(done?: () => void): void
  isClosing(): boolean
  onreadstart(): number
  onreadstop(): number
  onwrite(request: NativeRequest, buffers: readonly Buffer[]): number
  onshutdown(request: NativeRequest): number
  onread: () => void
  readBuffer(bytes: Uint8Array): void
  finishWrite(request: NativeRequest, errno: number): void
  finishShutdown(request: NativeRequest, errno: number): void
  getAsyncId(): number
}

type Classes = {
  readonly stream: new () => NativeStream
  /** The prototype of the sessions of both sides. */
  readonly session: object
}

let known: Classes | null = null

/** Node exports none of these: a session over an unused stream has them. */
export function http2Classes(): Classes {
  if (known !== null) return known
  const nowhere = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
  const session = http2.connect('http://localhost', { createConnection: () => nowhere })
  const handle: unknown = Reflect.get(session.socket, '_handle')
  const stream = Object(handle).constructor as Classes['stream']
  known = { stream, session: Object.getPrototypeOf(Object.getPrototypeOf(session)) }
  session.destroy()
  return known
}

export const http2Owners = {
  get http2(): typeof http2 {
    return http2
  },
} as const
