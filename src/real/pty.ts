/**
 * A child on a pseudo-terminal, on the optional package @lydell/node-pty, loaded at first use.
 *
 * Raw bytes, never decoded, and all of them: see `readToTheEnd`.
 *
 * Decisions 0063 and 0160.
 */

import nodeFs from 'node:fs'
import { createRequire } from 'node:module'
import { realSetImmediate, realSetTimeout } from './clock.ts'
import { isAlive } from './processes.ts'
import { createReadOn, FULL_READ } from './read-on.ts'

const { openSync, closeSync, readSync, constants } = nodeFs

export type RealPtyOptions = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly rows: number
  readonly cols: number
  readonly term: string
}

export type RealPty = {
  readonly pid: number
  /** `more`: the last read was full, the program wrote more than this at once. */
  onData(listener: (bytes: Uint8Array, more: boolean) => void): void
  /**
   * Called between two reads of a burst, while the system fills the terminal's buffer again: a moment of work
   * costs nothing there.
   */
  meanwhile(work: () => void): void
  /** The memory of these bytes, which `onData` gave, may be reused: the reader is done with them. */
  reuse(bytes: Uint8Array): void
  /** After the last data: exit code, and the number of the signal that ended it, or 0. */
  onEnd(listener: (code: number, signal: number) => void): void
  /** Resolves when the terminal can take more. */
  write(bytes: Uint8Array): Promise<void>
  resize(rows: number, cols: number): void
  pause(): void
  resume(): void
  /** Gives up the terminal without reading on. */
  destroy(): void
}

type Library = {
  spawn(
    file: string,
    args: string[],
    options: {
      name: string
      rows: number
      cols: number
      cwd: string
      env: Record<string, string>
      encoding: null
      handleFlowControl: false
    },
  ): PtyChild
}

/** What the library gives. */
export type PtyChild = {
  readonly pid: number
  readonly process: string
  /** The terminal's own side. */
  readonly fd?: number
  onData(listener: (data: Uint8Array | string) => void): unknown
  onExit(listener: (event: { exitCode: number; signal?: number }) => void): unknown
  write(data: Uint8Array): void
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  destroy(): void
}

type Socket = {
  destroy(error?: Error): unknown
  write(bytes: Uint8Array, done?: (error?: Error | null) => void): boolean
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown
  once(event: string, listener: (...args: unknown[]) => void): unknown
}

/** Null where the package is not installed or has no binary for this platform. */
export function loadPty(): ((options: RealPtyOptions) => RealPty) | null {
  let library: Library
  try {
    library = createRequire(import.meta.url)('@lydell/node-pty')
  } catch {
    // Optional: the caller reports what is missing and how to install it.
    return null
  }
  return (options) => spawnPty(library, options)
}

function spawnPty(library: Library, options: RealPtyOptions): RealPty {
  const { file, args, cwd, env, rows, cols, term } = options
  return realPtyOf(
    library.spawn(file, [...args], {
      name: term,
      rows,
      cols,
      cwd,
      env: { ...env },
      encoding: null,
      handleFlowControl: false,
    }),
  )
}

/** A child of the library that was started with `encoding: null`. */
export function realPtyOf(child: PtyChild): RealPty {
  const socket: unknown = Reflect.get(child, '_socket')
  const terminal: unknown = Reflect.get(child, 'ptsName')
  const listeners: ((bytes: Uint8Array, more: boolean) => void)[] = []
  const deliver = (bytes: Uint8Array, more: boolean): void => {
    for (const listener of listeners) listener(bytes, more)
  }
  const drain =
    isSocket(socket) && typeof terminal === 'string'
      ? readToTheEnd(socket, child, terminal, (bytes) => deliver(bytes, false))
      : null
  let meanwhile = (): void => undefined
  const readOn = child.fd === undefined ? null : createReadOn(child.fd, () => meanwhile())
  child.onData((data) => {
    const first = typeof data === 'string' ? Buffer.from(data) : data
    if (readOn === null || first.byteLength < FULL_READ) {
      deliver(first, false)
      return
    }
    const { bytes, more } = readOn.after(first)
    drain?.counted(bytes.byteLength - first.byteLength)
    deliver(bytes, more)
  })
  return {
    pid: child.pid,
    onData: (listener) => void listeners.push(listener),
    meanwhile(work) {
      meanwhile = work
    },
    reuse: (bytes) => readOn?.reuse(bytes),
    onEnd: (listener) => void child.onExit(({ exitCode, signal }) => listener(exitCode, signal ?? 0)),
    write(bytes) {
      if (!isSocket(socket)) {
        child.write(bytes)
        return Promise.resolve()
      }
      // An error means that the child has gone; the end event reports that, and a write to it is no failure
      // of its own.
      return new Promise((resolve) => void socket.write(bytes, () => resolve()))
    },
    resize(nextRows, nextCols) {
      try {
        child.resize(nextCols, nextRows)
      } catch {
        // The child has ended in this very moment, and the terminal with it: there is nothing left to resize.
      }
    },
    pause() {
      drain?.paused(true)
      child.pause()
    },
    resume() {
      drain?.paused(false)
      child.resume()
    },
    destroy() {
      drain?.release()
      child.destroy()
    },
  }
}

/** How long the terminal must be without output, after the program's end, before it is closed. */
const QUIET_MS = 10
/** How long a program that outlived its parent may hold the terminal open without output. */
const HELD_OPEN_MS = 100
/** How many bytes such a program may still print: more is cut, or a daemon could keep a recording open for ever. */
const MAX_AFTER_EXIT = 4 * 1024 * 1024

/**
 * Sees to it that everything the program wrote is read before the terminal closes.
 *
 * Two things would lose output. The library destroys the socket 200 ms after the exit; and when the last
 * writer closes its side, libuv takes the next short read for the end, though a terminal never reads more
 * than 4 KB at once and more may wait. So the writing side is held open here too, and let go only when the
 * program has ended and a quiet moment has passed. What the kernel had not passed on by then is read
 * synchronously, to the end, before libuv can close the terminal.
 */
function readToTheEnd(
  socket: Socket,
  child: PtyChild,
  terminal: string,
  onData: (bytes: Uint8Array) => void,
): { paused(value: boolean): void; counted(bytes: number): void; release(): void } {
  const { pid, fd } = child
  const destroy = socket.destroy.bind(socket)
  const once = socket.once.bind(socket)
  let held = openQuietly(terminal)
  let free = false
  let isPaused = false
  let exited = false
  let reads = 0
  let after = 0
  const letGo = (): void => {
    if (held !== null) closeSync(held)
    held = null
  }
  const finish = (): void => {
    free = true
    letGo()
    destroy()
  }
  const look = (): void => {
    // Timers run before the loop reads. After a long turn there may be output that no one has had a chance to
    // read: decide after the next read.
    realSetImmediate(() => {
      if (free) return
      const quiet = !isPaused && reads === 0
      if (after > MAX_AFTER_EXIT || (quiet && held === null)) return finish()
      if (quiet) {
        letGo()
        if (fd !== undefined) readRest(fd, onData)
      }
      reads = 0
      realSetTimeout(look, held === null ? HELD_OPEN_MS : QUIET_MS)
    })
  }
  const programEnded = (): void => {
    if (exited || free) return
    exited = true
    reads = 0
    look()
  }
  const streamEnded = (): void => {
    free = true
    letGo()
  }
  socket.on('end', streamEnded)
  socket.on('error', streamEnded)
  socket.on('close', streamEnded)
  socket.on('data', (bytes) => {
    reads += 1
    if (exited) after += bytes.byteLength
  })
  // The library waits for `close` exactly when the program has ended: the earliest sign of it, 200 ms before
  // it calls `destroy`.
  socket.once = (event, listener) => {
    if (event === 'close' && !isAlive(pid)) programEnded()
    return once(event, listener)
  }
  socket.destroy = (error) => {
    if (error !== undefined || free) return destroy(error)
    programEnded()
    return socket
  }
  return {
    paused(value) {
      isPaused = value
    },
    counted(bytes) {
      if (exited) after += bytes
    },
    release: streamEnded,
  }
}

/**
 * Reads until the terminal reports that no process can write to it any more, or, where one still can, that
 * there is nothing now.
 */
function readRest(fd: number, onData: (bytes: Uint8Array) => void): void {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  try {
    for (let count = readSync(fd, buffer); count > 0; count = readSync(fd, buffer))
      onData(Uint8Array.from(buffer.subarray(0, count)))
  } catch {
    // EIO is the end, EAGAIN is silence: both end the wait.
  }
}

function openQuietly(terminal: string): number | null {
  try {
    return openSync(terminal, constants.O_RDWR | constants.O_NOCTTY)
  } catch {
    // No such device for us (a sandbox, another system): then the end is only as good as the library's.
    return null
  }
}

function isSocket(value: unknown): value is Socket {
  return (
    typeof value === 'object' &&
    value !== null &&
    'destroy' in value &&
    'write' in value &&
    'on' in value &&
    'once' in value
  )
}
