/**
 * The real child of a recording. It is started outside the program's context, on its own pipes. Its output
 * becomes outcomes, and the program's input is passed on to it. Everything that reaches the program from here
 * goes through the sink.
 *
 * Decision 0123.
 */
import {
  failuresWithStreams,
  killGroup,
  newPipe,
  newWriteRequest,
  type ProcessHandle,
  type StreamHandle,
} from '../../real/child-handles.ts'
import { realSetTimeout } from '../../real/clock.ts'
import { outside } from '../context.ts'
import { type ErrorFacts, MAX_WAITING_BYTES } from '../session.ts'
import type { Lender } from './lent-streams.ts'
import { LivePipe } from './live-pipe.ts'
import type { TapedChild } from './recorded-child.ts'
import type { SpawnCall } from './spawn-call.ts'
import type { StdioEntry, StreamPlan } from './stdio-plan.ts'

export type LiveSink = {
  bytes(at: number, bytes: Uint8Array): void
  end(at: number): void
  error(at: number, error: ErrorFacts): void
  /** The child has read everything that was written. */
  drained(): void
  exit(code: number, signal: string): void
  handleCame(): void
}

/** The position of the channel among the streams. */
export const CHANNEL = -1

/** The exit waits this long for the last copied bytes; a grandchild may keep the pipe open forever. */
const LAST_OUTPUT_MS = 50

export class LiveChild {
  readonly #native: ProcessHandle
  readonly #sink: LiveSink
  readonly #pipes = new Map<number, LivePipe>()
  readonly #stopped = new Set<number>()
  /** Streams that are copied to our own output and have not ended. */
  readonly #copied = new Set<number>()
  #channel: StreamHandle | null = null
  #waitingBytes = 0
  #over = false
  #deliverExit: (() => void) | null = null

  constructor(native: ProcessHandle, sink: LiveSink) {
    this.#native = native
    this.#sink = sink
  }

  /** Zero, or the error number. */
  start(
    call: SpawnCall,
    plans: readonly StreamPlan[],
    lent: ReadonlyMap<number, Lender>,
    taped: TapedChild | null,
  ): { readonly errno: number; readonly pid: number | undefined } {
    return outside(() => {
      const stdio = call.stdio.map(
        (entry, at) => lentEntry(lent.get(at)) ?? this.#realEntry(entry, at, plans[at]),
      )
      this.#native.onexit = (code, signal) => this.#exited(code, signal)
      const secrets = taped === null || taped.secrets === null ? null : newPipe('stream')
      if (secrets !== null)
        stdio.push({ type: 'pipe', handle: secrets, ...{ readable: true, writable: false } })
      const errno = this.#native.spawn(...call.withStdio(stdio, taped?.envPairs))
      if (secrets !== null) writeAndClose(secrets, errno === 0 ? (taped?.secrets ?? null) : null)
      if (errno === 0 || failuresWithStreams.has(errno)) this.#open()
      else for (const pipe of this.#pipes.values()) pipe.close()
      return { errno, pid: this.#native.pid }
    })
  }

  write(at: number, bytes: Uint8Array): void {
    outside(() => this.#pipes.get(at)?.write(bytes))
  }

  /** Calls back when everything written so far has been read, or never will be. */
  waitForDrain(at: number): void {
    const onDrained = (): void => this.#sink.drained()
    const pipe = this.#pipes.get(at)
    if (pipe === undefined) onDrained()
    else outside(() => pipe.whenDrained(onDrained))
  }

  endWriting(at: number): void {
    outside(() => this.#pipes.get(at)?.endWriting())
  }

  send(bytes: Uint8Array, handle: unknown): void {
    const channel = this.#channel
    if (channel === null) return
    outside(() => {
      const request = newWriteRequest()
      request.buffer = bytes
      if (handle === undefined || handle === null) channel.writeBuffer(request, bytes)
      // A handle can only be sent with text, and only Node's JSON form sends any.
      else channel.writeUtf8String(request, Buffer.from(bytes).toString(), handle)
    })
  }

  wants(at: number, reading: boolean): void {
    if (reading) this.#stopped.delete(at)
    else this.#stopped.add(at)
    this.#flow()
  }

  /** The program has received this many of the waiting bytes. */
  taken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#flow()
  }

  closeStream(at: number): void {
    outside(() => this.#pipes.get(at)?.close())
  }

  closeChannel(): void {
    const channel = this.#channel
    this.#channel = null
    outside(() => channel?.close())
  }

  kill(signal: number, group: boolean): number {
    const { pid } = this.#native
    if (group && pid !== undefined) return killGroup(pid, signal)
    return this.#over ? 0 : this.#native.kill(signal)
  }

  setRef(ref: boolean): void {
    if (this.#over) return
    if (ref) this.#native.ref()
    else this.#native.unref()
  }

  setStreamRef(at: number, ref: boolean): void {
    this.#pipes.get(at)?.setRef(ref)
  }

  setChannelRef(ref: boolean): void {
    if (ref) this.#channel?.ref()
    else this.#channel?.unref()
  }

  give(at: number): StreamHandle | null {
    return this.#pipes.get(at)?.give() ?? null
  }

  #realEntry(entry: StdioEntry, at: number, plan: StreamPlan | undefined): StdioEntry {
    switch (plan?.use) {
      case 'pipe':
      case 'copied': {
        if (plan.use === 'copied') this.#copied.add(at)
        const sink = {
          bytes: (bytes: Uint8Array) => this.#came(at, bytes),
          end: () => this.#ended(at),
          error: (error: ErrorFacts) => this.#sink.error(at, error),
        }
        const pipe = new LivePipe(
          sink,
          plan.use === 'pipe' ? (entry.handle as StreamHandle | undefined) : undefined,
        )
        this.#pipes.set(at, pipe)
        return {
          type: entry.type === 'overlapped' ? 'overlapped' : 'pipe',
          handle: pipe.handle,
          ...{ readable: at === 0, writable: at !== 0 },
        }
      }
      case 'channel': {
        this.#channel = newPipe('ipc')
        return { type: 'pipe', handle: this.#channel, ipc: true }
      }
      case 'passed':
      case undefined:
        return entry
    }
  }

  #open(): void {
    this.#flow()
    if (this.#channel !== null) this.#listen(this.#channel)
  }

  #listen(channel: StreamHandle): void {
    channel.onread = (buffer) => {
      if (channel.pendingHandle !== undefined && channel.pendingHandle !== null) this.#sink.handleCame()
      channel.pendingHandle = null
      if (buffer !== undefined) this.#sink.bytes(CHANNEL, new Uint8Array(buffer))
      else this.#sink.end(CHANNEL)
    }
    channel.readStart()
  }

  #came(at: number, bytes: Uint8Array): void {
    this.#waitingBytes += bytes.byteLength
    this.#sink.bytes(at, bytes)
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#flow()
  }

  #ended(at: number): void {
    if (this.#copied.delete(at)) this.#pipes.get(at)?.close()
    this.#sink.end(at)
    if (this.#copied.size === 0) this.#deliverExit?.()
  }

  #flow(): void {
    const full = this.#waitingBytes >= MAX_WAITING_BYTES
    for (const [at, pipe] of this.#pipes) if (at > 0) pipe.read(!full && !this.#stopped.has(at))
  }

  #exited(code: number, signal: string): void {
    this.#over = true
    this.#native.close()
    const deliverNow = (): void => {
      this.#deliverExit = null
      this.#sink.exit(code, signal)
    }
    // Its output comes before its end, as it does when the child prints directly.
    if (this.#copied.size === 0) deliverNow()
    else {
      this.#deliverExit = deliverNow
      outside(() => realSetTimeout(() => this.#deliverExit?.(), LAST_OUTPUT_MS))
    }
  }
}

/** The child reads it before its program begins. */
function writeAndClose(pipe: StreamHandle, bytes: Uint8Array | null): void {
  if (bytes === null) {
    pipe.close()
    return
  }
  const request = newWriteRequest()
  request.buffer = bytes
  request.oncomplete = () => pipe.close()
  const status = pipe.writeBuffer(request, bytes)
  // A write that the system completes at once is not reported later.
  if (status !== 0 || (pipe.writeQueueSize ?? 0) === 0) pipe.close()
  // A child that is killed before it reads does not keep the program alive.
  else pipe.unref()
}

function lentEntry(lender: Lender | undefined): StdioEntry | null {
  const handle = lender?.()
  return handle === undefined || handle === null ? null : { type: 'wrap', ...{ wrapType: 'pipe' }, handle }
}
