/**
 * One real pipe to a child, without a socket above it: bytes are delivered as they are read, and written as
 * they are passed. Reading can be paused, so that a child that prints faster than the program reads must
 * wait.
 */
import { newPipe, newShutdownRequest, newWriteRequest, type StreamHandle } from '../../real/child-handles.ts'
import { errorFacts, writeError } from '../errors.ts'
import type { ErrorFacts } from '../session.ts'

export type PipeSink = {
  bytes(bytes: Uint8Array): void
  end(): void
  error(error: ErrorFacts): void
}

export class LivePipe {
  readonly handle: StreamHandle
  readonly #sink: PipeSink
  #reading = false
  #ended = false
  #closed = false
  #given = false
  /** Called when everything written has been read, or never will be. */
  #whenDrained: (() => void) | null = null
  #underWay = 0

  /** `unconnected` is a pipe that Node has made and that nothing else uses. */
  constructor(sink: PipeSink, unconnected?: StreamHandle) {
    this.handle = unconnected ?? newPipe('stream')
    this.#sink = sink
    this.handle.onread = (buffer) => {
      if (buffer === undefined) this.#end()
      else this.#sink.bytes(new Uint8Array(buffer))
    }
  }

  get isOpen(): boolean {
    return !this.#closed && !this.#ended
  }

  read(reading: boolean): void {
    if (reading === this.#reading || this.#closed || this.#ended || this.#given) return
    this.#reading = reading
    if (reading) this.handle.readStart()
    else this.handle.readStop()
  }

  write(bytes: Uint8Array): void {
    if (this.#closed) return
    const request = newWriteRequest()
    // Owned by the request, and alive as long as it is.
    request.buffer = bytes
    request.oncomplete = (status) => this.#wrote(status)
    this.#underWay += 1
    const status = this.handle.writeBuffer(request, bytes)
    // A write that the system completes at once is not reported later.
    if (status !== 0 || (this.handle.writeQueueSize ?? 0) === 0) this.#wrote(status)
  }

  whenDrained(onDrained: () => void): void {
    if (this.#closed || this.#underWay === 0) onDrained()
    else this.#whenDrained = onDrained
  }

  endWriting(): void {
    if (this.#closed) return
    const request = newShutdownRequest()
    request.oncomplete = () => undefined
    this.handle.shutdown(request)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.handle.close()
    this.#drained()
  }

  setRef(ref: boolean): void {
    if (this.#closed) return
    if (ref) this.handle.ref()
    else this.handle.unref()
  }

  /** For another child: it is not read here any more. */
  give(): StreamHandle {
    this.read(false)
    this.#given = true
    return this.handle
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#sink.end()
  }

  #wrote(status: number): void {
    this.#underWay = (this.handle.writeQueueSize ?? 0) === 0 ? 0 : Math.max(0, this.#underWay - 1)
    if (status < 0 && !this.#closed) this.#sink.error(errorFacts(writeError(status)))
    if (this.#underWay === 0 || status < 0) this.#drained()
  }

  #drained(): void {
    const onDrained = this.#whenDrained
    this.#whenDrained = null
    onDrained?.()
  }
}
