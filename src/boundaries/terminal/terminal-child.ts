/**
 * A child on a terminal as a program sees it, with the interface of node-pty: the same object while recording
 * and replaying. Output of the child comes through the gate. What the program types, resizes and signals is
 * recorded, or compared with the recording.
 *
 * `fd` is -1: reads and writes with a real descriptor would not be recorded, and in a replay the number
 * belongs to another file.
 */
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { label } from '../../base/index.ts'
import type { PtyChild } from '../../real/pty.ts'
import { childFolder } from '../child-folder.ts'
import { outside } from '../context.ts'
import { errorFacts, errorFactsOf, errorFromFacts } from '../errors.ts'
import type { AnyFunction } from '../patches.ts'
import { passedEnvironment } from '../process/passed-environment.ts'
import { tapedWithoutPipe } from '../process/recorded-child.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { type ChildOptions, childOptions, environmentOf, startKey } from './child-options.ts'
import { type LiveTerminal, startLive } from './live-terminal.ts'

const TERMINAL = label('terminal')
const NODE_PTY = label('node-pty')

type Listener<T> = (value: T) => void
type Subscription = { dispose(): void }
type Exit = { readonly exitCode: number; readonly signal: number }

export function startChild(session: Session, spawn: AnyFunction, args: readonly unknown[]): TerminalChild {
  return new TerminalChild(session, spawn, childOptions(args))
}

class TerminalChild {
  handleFlowControl: boolean
  readonly fd = -1
  readonly ptsName = undefined
  readonly master = undefined
  readonly slave = undefined
  readonly pid: number
  readonly onData: (listener: Listener<string | Uint8Array>) => Subscription
  readonly onExit: (listener: Listener<Exit>) => Subscription
  readonly #session: Session
  readonly #options: ChildOptions
  readonly #effect: Effect
  readonly #stream: Readable
  readonly #closing = new EventEmitter()
  readonly #dataListeners: Listener<string | Uint8Array>[] = []
  readonly #exitListeners: Listener<Exit>[] = []
  #live: LiveTerminal | null = null
  #ownTape: { ownTape(): unknown } | null = null
  #cols: number
  #rows: number
  #ended = false

  constructor(session: Session, spawn: AnyFunction, options: ChildOptions) {
    const { facts } = options
    this.#session = session
    this.#options = options
    this.handleFlowControl = options.handleFlowControl
    this.#cols = facts.cols
    this.#rows = facts.rows
    this.#stream = new Readable({
      read: () => undefined,
      ...(options.encoding === null ? {} : { encoding: options.encoding }),
    })
    this.onData = (listener) => subscribe(this.#dataListeners, listener)
    this.onExit = (listener) => subscribe(this.#exitListeners, listener)
    const start = {
      ...passedEnvironment(session, session.isLive(TERMINAL), options.given.env),
      options: options.owner,
    }
    this.#effect = session.start(TERMINAL, startKey(facts), (outcome) => this.#receive(outcome), {
      terminal: { ...facts, start },
    })
    this.pid = this.#startLive(spawn)
    this.#stream.on('data', (data: string | Uint8Array) => {
      for (const listener of [...this.#dataListeners]) listener(data)
    })
    this.#stream.on('pause', () => this.#live?.pause())
    this.#stream.on('resume', () => this.#live?.resume())
  }

  get cols(): number {
    return this.#cols
  }

  get rows(): number {
    return this.#rows
  }

  /** The program in the foreground of the terminal, read when the program reads it. */
  get process(): string {
    return (
      this.#session.readFact(NODE_PTY, 'process', () => this.#live?.title() ?? this.#options.facts.program) ??
      this.#options.facts.program
    )
  }

  write(data: string | Uint8Array): void {
    const isControl =
      this.handleFlowControl &&
      (data === this.#options.flowControlPause || data === this.#options.flowControlResume)
    if (isControl) {
      if (data === this.#options.flowControlPause) this.pause()
      else this.resume()
      return
    }
    const bytes = typeof data === 'string' ? Buffer.from(data) : Uint8Array.from(data)
    if (this.#ended || bytes.byteLength === 0) return
    this.#effect.did?.({ type: 'write', bytes })
    this.#live?.write(bytes)
  }

  resize(cols: number, rows: number): void {
    if (
      !(cols > 0) ||
      !(rows > 0) ||
      cols === Number.POSITIVE_INFINITY ||
      rows === Number.POSITIVE_INFINITY
    ) {
      throw new Error('resizing must be done using positive cols and rows')
    }
    if (!this.#ended) {
      this.#effect.did?.({ type: 'resize', cols, rows })
      this.#live?.resize(cols, rows)
    }
    this.#cols = cols
    this.#rows = rows
  }

  kill(signal?: string): void {
    if (this.#ended) return
    const name = signal || 'SIGHUP'
    this.#effect.did?.({ type: 'signal', signal: name })
    this.#live?.kill(name)
  }

  destroy(): void {
    this.kill('SIGHUP')
    this.#stream.destroy()
    this.#live?.destroy()
  }

  end(data?: string | Uint8Array): void {
    if (data !== undefined) this.write(data)
  }

  clear(): void {
    // Only the console of another system has something to clear.
  }

  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  setEncoding(encoding: BufferEncoding | null): void {
    if (encoding !== null) this.#stream.setEncoding(encoding)
  }

  pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    return this.#stream.pipe(destination, options)
  }

  on(event: string, listener: AnyFunction): void {
    if (event === 'close') this.#closing.on('close', listener)
    else this.#stream.on(event, listener)
  }

  addListener(event: string, listener: AnyFunction): void {
    this.on(event, listener)
  }

  once(event: string, listener: AnyFunction): void {
    if (event === 'close') this.#closing.once('close', listener)
    else this.#stream.once(event, listener)
  }

  removeListener(event: string, listener: AnyFunction): void {
    this.#closing.removeListener(event, listener)
    this.#stream.removeListener(event, listener)
  }

  removeAllListeners(event?: string): void {
    this.#closing.removeAllListeners(event)
    this.#stream.removeAllListeners(event)
  }

  listeners(event: string): AnyFunction[] {
    return (event === 'close' ? this.#closing : this.#stream).listeners(event) as AnyFunction[]
  }

  emit(event: string, ...args: unknown[]): boolean {
    return event === 'close' ? this.#closing.emit(event, ...args) : this.#stream.emit(event, ...args)
  }

  /** Whether a start succeeds is known at once, so it is a fact: the pid, or the error. */
  #startLive(spawn: AnyFunction): number {
    const started = this.#session.readFact(NODE_PTY, 'spawn', () => {
      try {
        const { facts, given } = this.#options
        const folder = childFolder(this.#session, facts)
        const taped = tapedWithoutPipe(this.#session, {
          file: facts.program,
          args: [facts.program, ...facts.args],
          cwd: facts.cwd,
          env: environmentOf(given.env),
        })
        this.#ownTape = taped
        const placed = {
          ...given,
          ...(folder === null ? {} : { cwd: folder }),
          ...(taped === null ? {} : { env: taped.env }),
        }
        const child: PtyChild = outside(() => spawn(facts.program, [...facts.args], placed))
        this.#live = startLive(child, this.#effect)
        return JSON.stringify({ pid: child.pid })
      } catch (error) {
        return JSON.stringify({ error: errorFacts(error) })
      }
    })
    const outcome: { readonly pid?: unknown; readonly error?: Parameters<typeof errorFactsOf>[0] } =
      started === null ? {} : JSON.parse(started)
    if (outcome.error === undefined) return Number(outcome.pid ?? 0)
    this.#ended = true
    this.#effect.close()
    throw errorFromFacts(errorFactsOf(outcome.error))
  }

  #receive(outcome: Outcome): void {
    switch (outcome.type) {
      case 'chunk':
        this.#live?.handed()
        if (!this.#stream.destroyed) this.#stream.push(Buffer.from(outcome.bytes))
        return
      case 'terminal_exit':
        this.#exit({ exitCode: outcome.exitCode, signal: outcome.signal })
        return
      case 'error':
        this.#ended = true
        this.#effect.close()
        throw errorFromFacts(outcome.error)
      default:
        throw new Error(`a terminal cannot receive ${outcome.type}`)
    }
  }

  #exit(exit: Exit): void {
    this.#ended = true
    this.#ownTape?.ownTape()
    this.#effect.close()
    try {
      this.#stream.emit('exit', exit.exitCode, exit.signal)
      for (const listener of [...this.#exitListeners]) listener(exit)
    } finally {
      this.#closing.emit('close')
    }
  }
}

function subscribe<T>(listeners: Listener<T>[], listener: Listener<T>): Subscription {
  listeners.push(listener)
  return {
    dispose() {
      const at = listeners.indexOf(listener)
      if (at >= 0) listeners.splice(at, 1)
    },
  }
}
