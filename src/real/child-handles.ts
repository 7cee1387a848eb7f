/**
 * The native objects under `node:child_process`, captured before anything is patched: the handle of a
 * process, pipes, the stream whose other end is JavaScript (`JSStream`), and the one function that all
 * synchronous forms end in. Node's own code above them runs unchanged in both modes.
 */
import os from 'node:os'
import process from 'node:process'
import { isatty } from 'node:tty'
import { nativeBinding } from './native-binding.ts'
import { isWalled } from './walled.ts'
import { type NativeClass, pipeClass, scriptStreamClass, tcpClass } from './walled-classes.ts'

/**
 * What Node calls on the handle of a process. `spawn` takes one object on older Nodes and a list on newer
 * ones.
 */
export type ProcessHandle = {
  pid?: number
  onexit: (exitCode: number, signalCode: string) => void
  spawn(...args: unknown[]): number
  kill(signal: number): number
  close(callback?: () => void): void
  ref(): void
  unref(): void
  hasRef?(): boolean
}

export type WriteRequest = { oncomplete?: (status: number) => void; buffer?: Uint8Array }

/** A native stream as Node's `net.Socket` and its IPC channel use it. */
export type StreamHandle = {
  onread: ((this: unknown, buffer: ArrayBuffer | undefined) => void) | undefined
  pendingHandle?: unknown
  readStart(): number
  readStop(): number
  writeBuffer(request: WriteRequest, bytes: Uint8Array, handle?: unknown): number
  readonly writeQueueSize?: number
  shutdown(request: WriteRequest): number
  writeUtf8String(request: WriteRequest, text: string, handle?: unknown): number
  close(callback?: () => void): void
  ref(): void
  unref(): void
}

/** A stream that Node writes to and reads from as if it were native; the callbacks are ours. */
export type ScriptStream = StreamHandle & {
  isClosing: () => boolean
  onreadstart: () => number
  onreadstop: () => number
  onshutdown: (request: object) => number
  onwrite: (request: object, buffers: readonly Uint8Array[]) => number
  readBuffer(bytes: Uint8Array): void
  emitEOF(): void
  finishWrite(request: object, status: number): void
  finishShutdown(request: object, status: number): void
}

type Bindings = {
  js_stream: { JSStream: new () => ScriptStream }
  pipe_wrap: { Pipe: new (type: number) => StreamHandle; constants: { SOCKET: number; IPC: number } }
  stream_wrap: {
    WriteWrap: new () => WriteRequest
    ShutdownWrap: new () => WriteRequest
    streamBaseState: Int32Array
    kReadBytesOrError: number
    kArrayBufferOffset: number
    kLastWriteWasAsync: number
  }
  spawn_sync: { spawn: (options: never) => unknown }
}

/**
 * Holds `spawn`, in which `spawnSync`, `execSync` and `execFileSync` end; null where Node denies it.
 */
export const syncSpawner: object | null = isWalled ? null : binding('spawn_sync')

/** Taken at once, before anything is patched; null where Node gives them by name. */
export const walledPipe: NativeClass | null = isWalled ? pipeClass() : null
export const walledTcp: NativeClass | null = isWalled ? tcpClass() : null

let scriptStream: Bindings['js_stream']['JSStream'] | null = null
/**
 * Called where no session is active: finding the class may load modules. The stream itself is made in the
 * context of the program, because Node calls the program in the context that a handle was made in.
 */
export const scriptStreams = (): Bindings['js_stream']['JSStream'] => {
  scriptStream ??= isWalled
    ? (found(scriptStreamClass()) as Bindings['js_stream']['JSStream'])
    : binding('js_stream').JSStream
  return scriptStream
}

/** Only a recording needs these, which has no wall. */
export const newPipe = (use: 'stream' | 'ipc'): StreamHandle => {
  const { Pipe, constants } = binding('pipe_wrap')
  return new Pipe(use === 'ipc' ? constants.IPC : constants.SOCKET)
}
export const newWriteRequest = (): WriteRequest => new (binding('stream_wrap').WriteWrap)()

/** What Node's own streams know of the last read and the last write of a native handle. */
export type NativeStreams = {
  newRequest(): WriteRequest
  /** Whether the system has not completed the last write yet: its request is reported later. */
  isLastWriteWaiting(): boolean
  /** The bytes of the read that is reported now. The buffer may be larger: TLS of newer Nodes keeps one. */
  readBytes(buffer: ArrayBuffer): Uint8Array
}

let streams: NativeStreams | null = null
/** Null where Node denies it. */
export const nativeStreams = (): NativeStreams | null => {
  streams ??= isWalled ? null : streamsOf(binding('stream_wrap') ?? null)
  return streams
}

function streamsOf(native: Bindings['stream_wrap'] | null): NativeStreams | null {
  if (native === null) return null
  const { WriteWrap, streamBaseState, kReadBytesOrError, kArrayBufferOffset, kLastWriteWasAsync } = native
  return {
    newRequest: () => new WriteWrap(),
    isLastWriteWaiting: () => streamBaseState[kLastWriteWasAsync] !== 0,
    readBytes: (buffer) =>
      new Uint8Array(buffer, streamBaseState[kArrayBufferOffset], streamBaseState[kReadBytesOrError]),
  }
}
export const newShutdownRequest = (): WriteRequest => new (binding('stream_wrap').ShutdownWrap)()

let reportWritten: (() => void) | null = null
/**
 * Reports to Node's code, right after a write, that the write is complete: it waits for nothing more.
 */
export const reportWrittenAtOnce = (): void => {
  reportWritten ??= isWalled ? bySyncWrite() : byState()
  reportWritten()
}

function byState(): () => void {
  const { streamBaseState, kLastWriteWasAsync } = binding('stream_wrap')
  return () => {
    streamBaseState[kLastWriteWasAsync] = 0
  }
}

/** A write to a pipe that is not open fails at once, which leaves the same report behind. */
function bySyncWrite(): () => void {
  const closed = new (found(walledPipe) as new (type: number) => StreamHandle)(0)
  const byte = new Uint8Array(1)
  return () => void closed.writeBuffer({}, byte)
}

function found<T>(native: T | null): T {
  if (native === null) throw new Error('this Node has no such native class: use --no-wall')
  return native
}

function binding<N extends keyof Bindings>(name: N): Bindings[N] {
  return nativeBinding(name) as Bindings[N]
}

const signalNames = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]))
export const signalName = (signal: number): string => signalNames.get(signal) ?? String(signal)
export const signalNumber = (name: string): number => Reflect.get(os.constants.signals, name) ?? 0
/** What `kill` gives for a process that is gone, as libuv spells it. */
export const NO_SUCH_PROCESS: number = -os.constants.errno.ESRCH
export const NOT_PERMITTED: number = -os.constants.errno.EPERM
/** After these failures Node still opens the streams of the child, and reports the failure as an event. */
export const failuresWithStreams: ReadonlySet<number> = new Set([
  -os.constants.errno.ENOENT,
  -os.constants.errno.EACCES,
  -os.constants.errno.EAGAIN,
])
/** What writing to a pipe gives after its reader has ended. */
export const unreadPipe: ReadonlySet<number> = new Set([
  -os.constants.errno.EPIPE,
  -os.constants.errno.ECONNRESET,
  -os.constants.errno.ENOTCONN,
])

const kill = process.kill.bind(process)
/** Zero, or the error number. */
export function killGroup(pid: number, signal: number): number {
  try {
    kill(-pid, signal)
    return 0
  } catch (error) {
    return error instanceof Error && 'errno' in error && typeof error.errno === 'number'
      ? error.errno
      : NO_SUCH_PROCESS
  }
}

export const outputIsTerminal = (fd: number): boolean => isatty(fd)
