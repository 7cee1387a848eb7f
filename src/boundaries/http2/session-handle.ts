/**
 * Lets a session of Node's HTTP/2 use a stand-in socket like a real one: it provides a native handle below
 * the socket. Without it Node would wrap the socket in its own, which connects at once and has no addresses.
 */
import { realSetImmediate } from '../../real/clock.ts'
import { http2Classes, type NativeStream } from '../../real/http2.ts'
import { outside } from '../context.ts'
import type { StandInSocket } from '../sockets/stand-in-socket.ts'

/** `UV_EPIPE`: the error of a write to a closed socket. */
const BROKEN_PIPE = -32

export function giveSessionHandle(socket: StandInSocket): void {
  if (Reflect.get(socket, '_handle') != null) return
  const { stream: JsStream } = outside(http2Classes)
  const handle = new JsStream()
  // Node 26 reads from the beginning without a call of `onreadstart`.
  let isReading = true
  handle.isClosing = () => socket.destroyed
  handle.onread = () => undefined
  handle.close = (done) => done?.()
  handle.onreadstart = () => {
    isReading = true
    socket.wantsMore()
    return 0
  }
  handle.onreadstop = () => {
    isReading = false
    return 0
  }
  handle.onwrite = (request, buffers) => {
    socket.write(Buffer.concat(buffers), (error) => {
      // Native code expects the end of a write after the call that began it.
      realSetImmediate(() => handle.finishWrite(request, error ? BROKEN_PIPE : 0))
    })
    return 0
  }
  handle.onshutdown = (request) => {
    socket.end(() => handle.finishShutdown(request, 0))
    return 0
  }
  Object.defineProperty(socket, '_handle', { value: handle, configurable: true, writable: true })
  socket.readWith((bytes) => {
    read(handle, bytes)
    return isReading
  })
}

function read(handle: NativeStream, bytes: Uint8Array): void {
  handle.readBuffer(bytes)
}
