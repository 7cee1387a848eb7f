/**
 * A program on a pseudo-terminal: its output, what is typed and how it ends, as events that are never dropped.
 *
 * Events are queued until they are read; when more than a mebibyte waits, the terminal is paused and the
 * program blocks, as it would on a slow terminal. A chunk is what the program wrote at once, as far as the
 * terminal shows it: reads up to the first short one, at most 64 KB. The program gets the environment of its
 * list and nothing else. EIO, which Linux reports when the last program leaves a terminal, is the end.
 */
import { RepriseError } from '../../errors/index.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { loadPty, type RealPty } from '../../real/pty.ts'
import { sendSignal, sessionMembers } from '../../real/signals.ts'
import type { ExitStatus, Size } from '../codec/records.ts'
import { checkedSize } from '../terminal/terminal.ts'
import { type AllowedEnvironment, allowedEnvironment, DEFAULT_TERM } from './environment.ts'
import { createEventQueue } from './event-queue.ts'
import { exitStatus } from './exit-status.ts'
import { findProgram } from './find-program.ts'
import { keyBytes, pasteBytes } from './keys.ts'
import type { SessionEvent } from './session-event.ts'

export type SessionOptions = {
  readonly argv: readonly string[]
  readonly cwd?: string
  /** Names let through on top of the default list, or `NAME=value`. */
  readonly env?: readonly string[]
  readonly size?: Size
  readonly term?: string
  readonly locale?: string
  /** Kills the program after this long. */
  readonly timeoutMs?: number
  /** A label for the manifest; nothing is enforced by it. */
  readonly permissionMode?: string
  /** Milliseconds since some fixed moment. */
  readonly clock?: () => number
}

export type Session = AsyncDisposable & {
  readonly pid: number
  readonly options: SessionOptions
  readonly environment: AllowedEnvironment
  readonly size: Size
  /** Everything, in order, until the exit. One reader. */
  events(): AsyncIterableIterator<SessionEvent>
  /** Called between two reads of a burst, where a moment of work costs no time. It must not throw. */
  meanwhile(work: () => void): void
  /**
   * Call this after reading the bytes of an event without keeping them: the next ones are read into the
   * same memory.
   */
  reuse(bytes: Uint8Array): void
  write(bytes: Uint8Array): Promise<void>
  /** An answer of the terminal itself, to a query of the program. */
  reply(bytes: Uint8Array): Promise<void>
  key(name: string): Promise<void>
  paste(text: string, bracketed?: boolean): Promise<void>
  resize(size: Size): void
  signal(signal: NodeJS.Signals): void
  /** TERM to every process of the session, KILL to those left after `graceMs`. Resolves at the exit. */
  kill(graceMs?: number): Promise<ExitStatus>
  readonly exited: Promise<ExitStatus>
}

const KILL_GRACE_MS = 500
const FULL_READ_WAIT_MS = 5
const MAX_CHUNK = 64 * 1024
/** Not worth waiting for the rest of a chunk: it would have to be copied. */
const ENOUGH = 32 * 1024

export function startSession(options: SessionOptions): Session {
  const size = checkedSize(options.size ?? { rows: 24, cols: 80 })
  const cwd = options.cwd ?? realCwd()
  const term = options.term ?? DEFAULT_TERM
  const environment = allowedEnvironment(realEnv, {
    ...(options.env === undefined ? {} : { add: options.env }),
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    term,
  })
  const spawn = loadPty()
  if (spawn === null) {
    throw new RepriseError('cassette-pty-missing', 'the optional package @lydell/node-pty is not installed', {
      hint: 'npm install @lydell/node-pty',
    })
  }
  const [file = '', ...args] = options.argv
  const program = findProgram(file, cwd, environment.env.PATH ?? '')
  let pty: RealPty
  try {
    pty = spawn({ file: program, args, cwd, env: environment.env, rows: size.rows, cols: size.cols, term })
  } catch (error) {
    throw new RepriseError('cassette-spawn', `cannot start ${file}`, {
      details: { argv: options.argv, cwd },
      cause: error,
      hint: 'see --debug',
    })
  }
  return runSession(pty, options, environment, size)
}

function runSession(
  pty: RealPty,
  options: SessionOptions,
  environment: AllowedEnvironment,
  initial: Size,
): Session {
  const clock = options.clock ?? monotonicMs
  const queue = createEventQueue(
    () => pty.pause(),
    () => pty.resume(),
  )
  let size = initial
  let ended: ExitStatus | null = null
  let timedOut = false
  let reads: Uint8Array[] = []
  let held = 0
  const flush = (): void => {
    if (reads.length === 0) return
    const bytes = reads.length === 1 && reads[0] !== undefined ? reads[0] : Buffer.concat(reads)
    reads = []
    held = 0
    queue.push({ kind: 'output', atMs: clock(), bytes })
  }
  pty.onData((bytes, more) => {
    if (held + bytes.byteLength > MAX_CHUNK) flush()
    const first = reads.push(bytes) === 1
    held += bytes.byteLength
    // A full read means that more is coming: what the program wrote at once stays one chunk. The timer is for
    // a write that ended just there.
    if (!more || held >= ENOUGH) flush()
    else if (first) realSetTimeout(flush, FULL_READ_WAIT_MS)
  })
  let timer: ReturnType<typeof realSetTimeout> | null = null
  const exited = new Promise<ExitStatus>((resolve) => {
    pty.onEnd((code, signal) => {
      flush()
      ended = exitStatus(code, signal)
      if (timer !== null) realClearTimeout(timer)
      queue.push({ kind: 'exit', atMs: clock(), exit: ended, timedOut })
      queue.end()
      resolve(ended)
    })
  })
  const send = async (bytes: Uint8Array, key: string, reply: boolean): Promise<void> => {
    if (bytes.byteLength === 0) return
    if (ended !== null)
      throw new RepriseError('cassette-session-closed', 'pty session closed', {
        hint: 'the program has ended',
      })
    queue.push({ kind: 'input', atMs: clock(), bytes, key, reply })
    await pty.write(bytes)
  }
  const signal = (name: string, deliver: () => void): void => {
    if (ended !== null) return
    flush()
    queue.push({ kind: 'signal', atMs: clock(), signal: name })
    deliver()
  }
  const signalAll = (name: NodeJS.Signals): void => {
    sendSignal(-pty.pid, name)
    for (const pid of sessionMembers(pty.pid)) sendSignal(pid, name)
  }
  const kill = async (graceMs = KILL_GRACE_MS): Promise<ExitStatus> => {
    signal('kill', () => signalAll('SIGTERM'))
    const late = realSetTimeout(() => {
      signalAll('SIGKILL')
      pty.resume()
    }, graceMs)
    const status = await exited
    realClearTimeout(late)
    return status
  }
  if (options.timeoutMs !== undefined && options.timeoutMs > 0) {
    timer = realSetTimeout(() => {
      timedOut = true
      void kill()
    }, options.timeoutMs)
  }
  return {
    pid: pty.pid,
    options,
    environment,
    get size() {
      return size
    },
    events: () => queue.events(),
    meanwhile: (work) => pty.meanwhile(work),
    reuse: (bytes) => pty.reuse(bytes),
    write: (bytes) => send(bytes, '', false),
    reply: (bytes) => send(bytes, '', true),
    key: (name) => send(keyBytes(name), name, false),
    paste: (text, bracketed = true) => send(pasteBytes(text, bracketed), '', false),
    resize(next) {
      size = checkedSize(next)
      if (ended !== null) return
      flush()
      pty.resize(size.rows, size.cols)
      queue.push({ kind: 'resize', atMs: clock(), size })
    },
    signal: (name) =>
      signal(
        name.replace(/^SIG/, '').toLowerCase(),
        () => void (sendSignal(-pty.pid, name) || sendSignal(pty.pid, name)),
      ),
    kill,
    exited,
    async [Symbol.asyncDispose]() {
      if (ended === null) await kill()
      pty.destroy()
    },
  }
}
