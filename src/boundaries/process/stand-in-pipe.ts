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
import type { AnyFunction } from '../patches.ts'

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
  readonly owner: PipeOwner
  #waiting: object | null = null
  #closed = false
  #isWritten = false

  constructor(owner: PipeOwner) {
    this.owner = owner
    streamClass ??= createStreamClass(outside(scriptStreams))
    const handle = new streamClass()
    handle[PIPE] = this
    this.handle = handle
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

  write(request: object, buffers: readonly Uint8Array[]): void {
    if (this.owner.written(Buffer.concat(buffers)) === 'wait') {
      this.#waiting = request
      return
    }
    this.#isWritten = true
    // The call itself completes it; only the native side of the request remains to be released.
    Object.assign(request, { oncomplete: () => undefined })
    this.#finish(request)
  }

  /** Calls a function of Node that writes. */
  callWrite(native: AnyFunction, args: readonly unknown[]): unknown {
    this.#isWritten = false
    const status: unknown = Reflect.apply(native, this.handle, args)
    if (!this.#isWritten) return status
    outside(reportWrittenAtOnce)
    // Newer Nodes pass the request if an event is still to come.
    return typeof status === 'number' ? status : 0
  }

  close(): void {
    if (!this.#closed) this.owner.closed()
    this.#closed = true
    this.drained()
  }

  /** Never before the call that wrote has returned. */
  #finish(request: object): void {
    realNextTick(() => this.handle.finishWrite(request, 0))
  }
}

const PIPE = Symbol('pipe')
type PipeStream = ScriptStream & { [PIPE]: StandInPipe }

/** One class for all pipes: functions of their own would take a child longer than its streams. */
let streamClass: (new () => PipeStream) | null = null

function createStreamClass(native: new () => ScriptStream): new () => PipeStream {
  const made = class extends native {} as new () => PipeStream
  Object.defineProperty(made, 'name', { value: native.name, configurable: true })
  const prototype: object = made.prototype
  const define = (name: string, value: (this: PipeStream, ...args: never[]) => unknown): void =>
    void Object.defineProperty(prototype, name, { value, configurable: true, writable: true })
  define('isClosing', function () {
    return this[PIPE].isClosed
  })
  define('onreadstart', function () {
    this[PIPE].owner.wants(true)
    return 0
  })
  define('onreadstop', function () {
    this[PIPE].owner.wants(false)
    return 0
  })
  define('onwrite', function (request: object, buffers: readonly Uint8Array[]) {
    this[PIPE].write(request, buffers)
    return 0
  })
  define('onshutdown', function (request: object) {
    this[PIPE].owner.ended()
    realNextTick(() => this.finishShutdown(request, 0))
    return 0
  })
  define('close', function (callback?: AnyFunction) {
    this[PIPE].close()
    realNextTick(() => callback?.call(this))
  })
  define('ref', function () {
    this[PIPE].owner.setRef(true)
  })
  define('unref', function () {
    this[PIPE].owner.setRef(false)
  })
  for (const name of WRITES) {
    const write: unknown = Reflect.get(prototype, name)
    if (typeof write !== 'function') continue
    define(name, function (...args: unknown[]) {
      return this[PIPE].callWrite(write as AnyFunction, args)
    })
  }
  return made
}
