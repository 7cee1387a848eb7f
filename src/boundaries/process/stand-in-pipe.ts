/**
 * One pipe to a child, as Node's `net.Socket` sees it: a native stream whose other end is ours. The socket
 * above it is Node's own, so buffering, encodings, half-open ends and the order of its events are Node's in
 * both modes.
 *
 * A write completes at once, as on a pipe that has room: several writes in one turn go out in that turn, even
 * if the program ends with it. Only when many written bytes have not been read does a write wait, until
 * `drained`.
 */
import { reportWrittenAtOnce, type ScriptStream, scriptStreams } from '../../real/child-handles.ts'
import { realNextTick } from '../../real/offthread-owners.ts'
import { outside } from '../context.ts'

export type PipeOwner = {
  /** The program has written; `wait` holds the write back until `drained`. */
  written(bytes: Uint8Array): 'done' | 'wait'
  /** The program has ended its side. */
  ended(): void
  /** The socket wants bytes, or has enough for now. */
  wants(reading: boolean): void
  closed(): void
  setRef(ref: boolean): void
}

/** The functions that Node calls to write, by the type of the data. */
const WRITES = [
  'writeBuffer',
  'writeUtf8String',
  'writeAsciiString',
  'writeLatin1String',
  'writeUcs2String',
  'writev',
]

export class StandInPipe {
  readonly handle: ScriptStream
  #waiting: object | null = null
  #closed = false
  #isWritten = false

  constructor(owner: PipeOwner) {
    const handle = new (outside(scriptStreams))()
    this.handle = handle
    handle.isClosing = () => this.#closed
    handle.onreadstart = () => {
      owner.wants(true)
      return 0
    }
    handle.onreadstop = () => {
      owner.wants(false)
      return 0
    }
    handle.onwrite = (request, buffers) => {
      if (owner.written(Buffer.concat(buffers)) === 'wait') this.#waiting = request
      else {
        this.#isWritten = true
        // The call itself completes it; only the native side of the request remains to be released.
        Object.assign(request, { oncomplete: () => undefined })
        this.#finish(request)
      }
      return 0
    }
    for (const name of WRITES) this.#completeAtOnce(name)
    handle.onshutdown = (request) => {
      owner.ended()
      realNextTick(() => handle.finishShutdown(request, 0))
      return 0
    }
    handle.close = (callback) => {
      if (!this.#closed) owner.closed()
      this.#closed = true
      this.drained()
      realNextTick(() => callback?.call(handle))
    }
    handle.ref = () => owner.setRef(true)
    handle.unref = () => owner.setRef(false)
  }

  #completeAtOnce(name: string): void {
    const native: unknown = Reflect.get(this.handle, name)
    if (typeof native !== 'function') return
    const write = (...args: unknown[]): unknown => {
      this.#isWritten = false
      const status: unknown = Reflect.apply(native, this.handle, args)
      if (!this.#isWritten) return status
      outside(reportWrittenAtOnce)
      // Newer Nodes pass the request if an event is still to come.
      return typeof status === 'number' ? status : 0
    }
    Object.defineProperty(this.handle, name, { value: write, configurable: true, writable: true })
  }

  get isClosed(): boolean {
    return this.#closed
  }

  receive(bytes: Uint8Array): void {
    if (!this.#closed) this.handle.readBuffer(bytes)
  }

  receiveEnd(): void {
    if (!this.#closed) this.handle.emitEOF()
  }

  /** The written bytes have been read: a waiting write completes. */
  drained(): void {
    const request = this.#waiting
    this.#waiting = null
    if (request !== null) this.#finish(request)
  }

  /** Never before the call that wrote has returned. */
  #finish(request: object): void {
    realNextTick(() => this.handle.finishWrite(request, 0))
  }
}
