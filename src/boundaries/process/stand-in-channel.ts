/**
 * The IPC channel of a forked child. Node has made its channel of a pipe that is not connected. The few
 * functions that Node calls on that pipe are ours, and everything above (messages, serialization,
 * `disconnect`, queues) is Node's own. The bytes are those of the serialized messages.
 */
import {
  type ScriptStream,
  type StreamHandle,
  scriptStreams,
  type WriteRequest,
} from '../../real/child-handles.ts'
import { realNextTick } from '../../real/offthread-owners.ts'
import { outside } from '../context.ts'

export type ChannelOwner = {
  /** The program has sent a message; `handle` is what it sends with it, if anything. */
  sent(bytes: Uint8Array, handle: unknown): void
  closed(): void
  setRef(ref: boolean): void
}

export class StandInChannel {
  /** Node counts and reads only native streams, so the bytes go through one. */
  readonly #stream: ScriptStream
  #handle: unknown
  #closed = false

  constructor(pipe: StreamHandle, owner: ChannelOwner) {
    const stream = new (outside(scriptStreams))()
    this.#stream = stream
    stream.isClosing = () => false
    stream.onreadstart = () => 0
    stream.onreadstop = () => 0
    stream.onshutdown = () => 0
    stream.onread = (buffer): void => {
      pipe.onread?.call(pipe, buffer)
    }
    stream.onwrite = (request, buffers) => {
      owner.sent(Buffer.concat(buffers), this.#handle)
      realNextTick(() => stream.finishWrite(request, 0))
      return 0
    }
    const along = (handle: unknown, write: () => number): number => {
      this.#handle = handle
      return write()
    }
    const closePipe = pipe.close.bind(pipe)
    Object.assign(pipe, {
      readStart: () => 0,
      readStop: () => 0,
      writeUtf8String: (request: WriteRequest, text: string, handle: unknown) =>
        along(handle, () => stream.writeUtf8String(request, text)),
      writeBuffer: (request: WriteRequest, bytes: Uint8Array, handle: unknown) =>
        along(handle, () => stream.writeBuffer(request, bytes)),
      close: (callback?: () => void) => {
        if (!this.#closed) owner.closed()
        this.#closed = true
        closePipe(callback)
      },
      ref: () => owner.setRef(true),
      unref: () => owner.setRef(false),
    })
  }

  get isClosed(): boolean {
    return this.#closed
  }

  receive(bytes: Uint8Array): void {
    if (!this.#closed) this.#stream.readBuffer(bytes)
  }

  receiveEnd(): void {
    if (!this.#closed) this.#stream.emitEOF()
  }
}
