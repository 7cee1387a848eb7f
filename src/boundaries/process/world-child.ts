/**
 * The real child of a recording. Started outside the program's context, on pipes of its own; what it says becomes outcomes, what the program says
 * is handed on. Nothing reaches the program from here but through the sink.
 */
import {
  failuresWithStreams,
  killGroup,
  newPipe,
  newWriteRequest,
  type ProcessHandle,
  pipeSocket,
  type StreamHandle,
} from '../../real/child-handles.ts'
import { realSetTimeout } from '../../real/clock.ts'
import { outside } from '../context.ts'
import { errorFacts } from '../errors.ts'
import type { ErrorFacts } from '../session.ts'
import type { Lender } from './lent-streams.ts'
import type { SpawnCall } from './spawn-call.ts'
import type { StdioEntry, StreamPlan } from './stdio-plan.ts'

export type WorldSink = {
  bytes(at: number, bytes: Uint8Array): void
  end(at: number): void
  error(at: number, error: ErrorFacts): void
  /** All that was written to this stream has been taken. */
  drained(at: number): void
  exit(code: number, signal: string): void
  handleCame(): void
}

type RealSocket = ReturnType<typeof pipeSocket>

/** Outcomes that wait beyond this many bytes stop the child's output. */
const MAX_WAITING_BYTES = 1024 * 1024
/** How long the exit waits for the last of what was copied; a grandchild may hold the pipe for ever. */
const LAST_WORDS_MS = 50

export class WorldChild {
  readonly #native: ProcessHandle
  readonly #sink: WorldSink
  readonly #sockets = new Map<number, RealSocket>()
  readonly #pipes = new Map<number, StreamHandle>()
  readonly #stopped = new Set<number>()
  readonly #copied = new Set<number>()
  /** Streams that another child has now. */
  readonly #given = new Set<number>()
  #channel: StreamHandle | null = null
  #waitingBytes = 0
  #over = false

  constructor(native: ProcessHandle, sink: WorldSink) {
    this.#native = native
    this.#sink = sink
  }

  /** Zero, or the error number. */
  start(
    call: SpawnCall,
    plans: readonly StreamPlan[],
    lent: ReadonlyMap<number, Lender>,
  ): { readonly errno: number; readonly pid: number | undefined } {
    return outside(() => {
      const stdio = call.stdio.map((entry, at) => lentEntry(lent.get(at)) ?? this.#realEntry(entry, at, plans[at]))
      this.#native.onexit = (code, signal) => this.#exited(code, signal)
      const errno = this.#native.spawn(...call.withStdio(stdio))
      if (errno === 0 || failuresWithStreams.has(errno)) this.#open()
      else for (const pipe of this.#pipes.values()) pipe.close()
      return { errno, pid: this.#native.pid }
    })
  }

  write(at: number, bytes: Uint8Array): void {
    outside(() => this.#sockets.get(at)?.write(bytes))
  }

  /** Says when all that was written so far has been taken, or never will be. */
  waitForDrain(at: number): void {
    const socket = this.#sockets.get(at)
    if (socket === undefined || socket.destroyed) this.#sink.drained(at)
    else outside(() => socket.write('', () => this.#sink.drained(at)))
  }

  end(at: number): void {
    outside(() => this.#sockets.get(at)?.end())
  }

  send(bytes: Uint8Array, handle: unknown): void {
    const channel = this.#channel
    if (channel === null) return
    outside(() => {
      if (handle === undefined || handle === null) channel.writeBuffer(newWriteRequest(), bytes)
      // Only text can go along with a handle, and only Node's JSON form sends any.
      else channel.writeUtf8String(newWriteRequest(), Buffer.from(bytes).toString(), handle)
    })
  }

  wants(at: number, reading: boolean): void {
    if (reading) this.#stopped.delete(at)
    else this.#stopped.add(at)
    this.#flow()
  }

  /** The program has had this many bytes of what was waiting. */
  taken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#flow()
  }

  closeStream(at: number): void {
    outside(() => this.#sockets.get(at)?.destroy())
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
    const socket = this.#sockets.get(at)
    if (ref) socket?.ref()
    else socket?.unref()
  }

  setChannelRef(ref: boolean): void {
    if (ref) this.#channel?.ref()
    else this.#channel?.unref()
  }

  /** The native end of a stream, for another child that is to have it. Nobody here reads it any more. */
  give(at: number): StreamHandle | null {
    this.#given.add(at)
    this.#sockets.get(at)?.pause()
    const pipe = this.#pipes.get(at) ?? null
    pipe?.readStop()
    return pipe
  }

  #realEntry(entry: StdioEntry, at: number, plan: StreamPlan | undefined): StdioEntry {
    switch (plan?.use) {
      case 'pipe':
      case 'copied': {
        if (plan.use === 'copied') this.#copied.add(at)
        const handle = newPipe('stream')
        this.#pipes.set(at, handle)
        return { type: entry.type === 'overlapped' ? 'overlapped' : 'pipe', handle, ...{ readable: at === 0, writable: at !== 0 } }
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
    for (const [at, pipe] of this.#pipes) {
      const socket = pipeSocket(pipe, at > 0)
      this.#sockets.set(at, socket)
      socket.on('error', (error: Error) => this.#sink.error(at, errorFacts(error)))
      if (at === 0) continue
      let ended = false
      const end = (): void => {
        if (ended) return
        ended = true
        this.#copied.delete(at)
        this.#sink.end(at)
      }
      socket.on('data', (bytes: Uint8Array) => this.#came(at, bytes))
      socket.once('end', end)
      socket.once('close', end)
    }
    if (this.#channel !== null) this.#listen(this.#channel)
  }

  #listen(channel: StreamHandle): void {
    const at = -1
    channel.onread = (buffer) => {
      if (channel.pendingHandle !== undefined && channel.pendingHandle !== null) this.#sink.handleCame()
      channel.pendingHandle = null
      if (buffer !== undefined) this.#sink.bytes(at, new Uint8Array(buffer))
      else this.#sink.end(at)
    }
    channel.readStart()
  }

  #came(at: number, bytes: Uint8Array): void {
    this.#waitingBytes += bytes.byteLength
    this.#sink.bytes(at, bytes)
    this.#flow()
  }

  #flow(): void {
    const full = this.#waitingBytes >= MAX_WAITING_BYTES
    for (const [at, socket] of this.#sockets) {
      if (at === 0 || socket.destroyed || this.#given.has(at)) continue
      const stop = full || this.#stopped.has(at)
      if (stop !== socket.isPaused()) outside(() => (stop ? socket.pause() : socket.resume()))
    }
  }

  #exited(code: number, signal: string): void {
    this.#over = true
    this.#native.close()
    const say = (): void => this.#sink.exit(code, signal)
    if (this.#copied.size === 0) {
      say()
      return
    }
    // What it printed before it ended comes before its end, as it does when it prints by itself.
    let said = false
    const once = (): void => {
      if (!said) say()
      said = true
    }
    for (const at of this.#copied) this.#sockets.get(at)?.once('close', () => void (this.#copied.size === 0 && once()))
    outside(() => realSetTimeout(once, LAST_WORDS_MS))
  }
}

function lentEntry(lender: Lender | undefined): StdioEntry | null {
  const handle = lender?.()
  return handle === undefined || handle === null ? null : { type: 'wrap', ...{ wrapType: 'pipe' }, handle }
}
