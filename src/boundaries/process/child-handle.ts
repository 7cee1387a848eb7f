/**
 * Replaces the native handle of a `ChildProcess`, in both modes. Calls of Node on it are actions of the
 * program; its callbacks are outcomes. A recording has a real child behind it, a replay has none. Node's own
 * code above it emits `exit`, `close`, `error` and `spawn`, and provides streams and messages.
 *
 * Decision 0120.
 */
import { label } from '../../base/index.ts'
import {
  NO_SUCH_PROCESS,
  NOT_PERMITTED,
  outputIsTerminal,
  type ProcessHandle,
  type StreamHandle,
  signalName,
} from '../../real/child-handles.ts'
import { realNextTick } from '../../real/offthread-owners.ts'
import { realProcess } from '../../real/program.ts'
import type { ChildSide, Greeting } from '../child-contract.ts'
import { childFolder } from '../child-folder.ts'
import { errorFromFacts } from '../errors.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { childOf, forgetChild, rememberChild } from './children.ts'
import { type Lender, mayBeLent } from './lent-streams.ts'
import { CHANNEL, LiveChild } from './live-child.ts'
import { tapedChild } from './recorded-child.ts'
import { shareFiles } from './shared-files.ts'
import { childEnv, type SpawnCall, spawnCall } from './spawn-call.ts'
import { StandInChannel } from './stand-in-channel.ts'
import { StandInPipe } from './stand-in-pipe.ts'
import {
  passedAs,
  planStdio,
  type StdioEntry,
  type StreamPlan,
  sharesTerminal,
  streamName,
} from './stdio-plan.ts'

const PROCESS = label('process')
const SIGNALS = label('signals')
/** The number of bytes that may be written to a child before a write waits until the child has read them. */
const WINDOW_BYTES = 1024 * 1024

type Child = {
  emit(event: string, error: Error): boolean
  readonly stdio?: readonly ({ destroy(error?: Error): unknown } | null)[] | null
}

export class ChildHandle implements ProcessHandle {
  pid?: number
  onexit: ProcessHandle['onexit']
  readonly #session: Session
  readonly #child: Child
  readonly #native: ProcessHandle
  readonly #lent: ReadonlyMap<number, Lender>
  readonly #pipes = new Map<number, StandInPipe>()
  readonly #copies = new Map<number, 'stdout' | 'stderr'>()
  readonly #untaken = new Map<number, number>()
  /** Streams that may still deliver something. */
  readonly #open = new Set<number>()
  readonly #whenOver: (() => void)[] = []
  #channel: StandInChannel | null = null
  #live: LiveChild | null = null
  #started: { readonly call: SpawnCall; readonly plans: readonly StreamPlan[] } | null = null
  /** For a child that takes over: what the program wrote before the greeting was answered. */
  #greeting: { readonly with: Greeting; readonly held: Uint8Array[]; isEnded: boolean } | null = null
  #effect: Effect | null = null
  #names: readonly string[] = []
  #exited = false
  #ref = true

  constructor(session: Session, child: Child, native: ProcessHandle, lent: ReadonlyMap<number, Lender>) {
    this.#lent = lent
    this.#session = session
    this.#child = child
    this.#native = native
    this.onexit = native.onexit
  }

  spawn(...given: unknown[]): number {
    const call = spawnCall(given)
    const plans = planStdio(call.stdio, outputIsTerminal)
    shareFiles(call.stdio)
    this.#names = plans.map(({ use }, at) => streamName(at, use))
    const key = `${call.file} ${call.args.slice(1).join(' ')}`
    const described = {
      program: call.file,
      args: call.args.slice(1),
      cwd: call.cwd,
      ...childEnv(this.#session, call.envPairs),
      stdio: plans.map(({ use }, at) => (use === 'passed' ? passedAs(call.stdio[at]) : use)),
      options: call.options,
    }
    const isLive =
      this.#session.startsLive?.(key, { ...described, pid: null, errno: 0 }) ?? this.#session.isLive(PROCESS)
    const live = isLive ? new LiveChild(this.#native, this.#sink()) : null
    const taped = live === null ? null : tapedChild(this.#session, call)
    const placed = call.inFolder(childFolder(this.#session, call))
    const began = live?.start(placed, plans, this.#lent, taped) ?? { errno: 0, pid: undefined }
    this.#started = { call, plans }
    if (live !== null && sharesTerminal(call.stdio, outputIsTerminal)) {
      this.#session.gap(
        PROCESS,
        `the subprocess ${call.file} has the terminal for itself: what it prints is not recorded`,
      )
    }
    const effect = this.#session.start(PROCESS, key, (outcome) => this.#receive(outcome), {
      child: {
        ...described,
        pid: began.pid ?? null,
        errno: began.errno,
        ...(taped === null || began.errno !== 0 ? {} : { ownTape: taped.ownTape }),
      },
    })
    this.#effect = effect
    this.#live = live
    const { pid, errno } = this.#side()
    if (pid !== null) this.pid = pid
    if (pid !== null) rememberChild(this.#session, pid, this)
    this.#standIn(call, plans)
    this.#exited = errno !== 0
    if (this.#exited) this.#failed()
    return errno
  }

  kill(signal: number, group = false): number {
    if (this.#exited) return NO_SUCH_PROCESS
    const error = signal === 0 ? null : this.#side().send(SIGNALS, Buffer.from(`${signalName(signal)}\n`))
    if (error !== null) throw error
    if (this.#live === null && signal !== 0) this.#takeOver()
    const result = this.#live?.kill(signal, group) ?? 0
    // For the program, a child that has ended and is not reported yet is a zombie: signals to it are lost
    // silently.
    if (result === NOT_PERMITTED) this.#session.gap(PROCESS, 'a signal to a subprocess was not permitted')
    return result === NOT_PERMITTED ? result : 0
  }

  close(): void {
    if (this.pid !== undefined && childOf(this.#session, this.pid) === this)
      forgetChild(this.#session, this.pid)
  }

  ref(): void {
    this.#setRef(true)
  }

  unref(): void {
    this.#setRef(false)
  }

  hasRef(): boolean {
    return this.#ref && !this.#exited
  }

  /** Called before the program receives the end. */
  onOver(listener: () => void): void {
    this.#whenOver.push(listener)
  }

  #setRef(ref: boolean): void {
    this.#ref = ref
    this.#effect?.setRef(ref)
    this.#live?.setRef(ref)
  }

  #side(): ChildSide {
    const side = this.#effect?.child
    if (side === undefined) throw new Error('the session does not know of children')
    return side
  }

  #standIn(call: SpawnCall, plans: readonly StreamPlan[]): void {
    for (const [at, plan] of plans.entries()) {
      const entry = call.stdio[at]
      if (entry === undefined) continue
      if (plan.use === 'pipe') this.#standInPipe(entry, at)
      if (plan.use === 'copied') {
        this.#copies.set(at, plan.to)
        this.#open.add(at)
      }
      if (plan.use === 'channel') this.#standInChannel(entry.handle as StreamHandle)
    }
  }

  #standInPipe(entry: StdioEntry, at: number): void {
    const name = label(streamName(at, 'pipe'))
    const unconnected = entry.handle as StreamHandle | undefined
    const pipe = new StandInPipe({
      written: (bytes) => {
        const error = this.#side().send(name, bytes)
        if (error !== null) realNextTick(() => this.#broke(at, error))
        if (this.#live === null) this.#takeOver()
        if (this.#greeting !== null && at === 0) this.#greeting.held.push(bytes)
        else this.#live?.write(at, bytes)
        const untaken = (this.#untaken.get(at) ?? 0) + bytes.byteLength
        this.#untaken.set(at, untaken)
        if (untaken < WINDOW_BYTES || this.#exited) return 'done'
        this.#live?.waitForDrain(at)
        return 'wait'
      },
      ended: () => {
        // When the child has ended an output, Node ends its own side of it too.
        if (at === 0 || at > 2) this.#side().sendEnd(name)
        if (this.#live === null) this.#takeOver()
        if (at === 0 && this.#greeting !== null) this.#greeting.isEnded = true
        else if (at === 0 || at > 2) this.#live?.endWriting(at)
      },
      wants: (reading) => this.#live?.wants(at, reading),
      closed: () => {
        this.#live?.closeStream(at)
        this.#ended(at)
      },
      setRef: (ref) => this.#live?.setStreamRef(at, ref),
    })
    entry.handle = pipe.handle
    mayBeLent(pipe.handle, () => this.#live?.give(at) ?? null)
    // A real child has it.
    if (this.#live === null) unconnected?.close()
    this.#pipes.set(at, pipe)
    if (at > 0) this.#open.add(at)
  }

  #standInChannel(pipe: StreamHandle): void {
    const name = label('ipc')
    this.#open.add(CHANNEL)
    this.#channel = new StandInChannel(pipe, {
      sent: (bytes, handle) => {
        if (handle !== undefined && handle !== null)
          this.#session.gap(PROCESS, 'a socket or server was sent to a subprocess')
        const error = this.#side().send(name, bytes)
        if (error !== null) realNextTick(() => this.#broke(CHANNEL, error))
        this.#live?.send(bytes, handle)
      },
      closed: () => {
        this.#live?.closeChannel()
        this.#ended(CHANNEL)
      },
      setRef: (ref) => this.#live?.setChannelRef(ref),
    })
  }

  #sink(): ConstructorParameters<typeof LiveChild>[1] {
    const name = (at: number) => label(at === CHANNEL ? 'ipc' : (this.#names[at] ?? `fd${at}`))
    return {
      bytes: (at, bytes) => this.#effect?.arrive({ type: 'chunk', stream: name(at), bytes }),
      end: (at) => this.#effect?.arrive({ type: 'end', stream: name(at), trailers: [] }),
      error: (at, error) => this.#effect?.arrive({ type: 'error', stream: name(at), error }),
      drained: () => this.#effect?.arrive({ type: 'completion' }),
      exit: (code, signal) =>
        this.#effect?.arrive({ type: 'exit', code, signal: signal === '' ? null : label(signal) }),
      handleCame: () => this.#session.gap(PROCESS, 'a subprocess sent a socket or server'),
    }
  }

  /** A real child continues where the tape ends. */
  #takeOver(): void {
    const greeting = this.#effect?.child?.takeOver?.() ?? null
    if (greeting === null || this.#started === null) return
    const { call, plans } = this.#started
    const sink = this.#sink()
    const live = new LiveChild(this.#native, {
      ...sink,
      bytes: (at, bytes) => {
        const left = at === 1 ? this.#greeted(bytes) : bytes
        if (left.byteLength > 0) sink.bytes(at, left)
      },
    })
    // The program has stand-ins for the earlier pipes: these are new ones.
    const stdio = call.stdio.map(({ type, ...entry }, at) =>
      plans[at]?.use === 'pipe' ? { type } : { type, ...entry },
    )
    const placed = call.inFolder(childFolder(this.#session, call))
    const { errno } = live.start({ ...placed, stdio }, plans, new Map(), null)
    if (errno !== 0) {
      for (const at of this.#open) sink.end(at)
      sink.exit(errno, '')
      return
    }
    this.#live = live
    if (greeting.first.byteLength === 0) return
    this.#greeting = { with: greeting, held: [], isEnded: false }
    live.write(0, greeting.first)
  }

  /** The part of the output for the program while the child is being greeted. */
  #greeted(bytes: Uint8Array): Uint8Array {
    const greeting = this.#greeting
    if (greeting === null) return bytes
    const answer = greeting.with.answered(bytes)
    if (answer === null) return new Uint8Array()
    this.#greeting = null
    this.#live?.write(0, answer.send)
    for (const held of greeting.held) this.#live?.write(0, held)
    if (greeting.isEnded) this.#live?.endWriting(0)
    return answer.rest
  }

  #receive(outcome: Outcome): void {
    switch (outcome.type) {
      case 'chunk':
        this.#live?.taken(outcome.bytes.byteLength)
        this.#give(this.#at(outcome.stream), outcome.bytes)
        return
      case 'end': {
        const at = this.#at(outcome.stream)
        if (at === CHANNEL) this.#channel?.receiveEnd()
        else this.#pipes.get(at)?.receiveEnd()
        this.#ended(at)
        return
      }
      case 'error':
        this.#broke(this.#at(outcome.stream), errorFromFacts(outcome.error))
        return
      case 'completion':
        this.#untaken.clear()
        for (const pipe of this.#pipes.values()) pipe.drained()
        return
      case 'exit':
        this.#exited = true
        this.#reportEnd()
        this.onexit(outcome.code, outcome.signal ?? '')
        this.#maybeDone()
        return
      default:
        throw new Error(`a subprocess cannot receive ${outcome.type}`)
    }
  }

  #at(stream: string | undefined): number {
    return stream === 'ipc' ? CHANNEL : this.#names.indexOf(stream ?? '')
  }

  #give(at: number, bytes: Uint8Array): void {
    const copy = this.#copies.get(at)
    if (copy !== undefined) realProcess[copy].write(bytes)
    else if (at === CHANNEL) this.#channel?.receive(bytes)
    else this.#pipes.get(at)?.receive(bytes)
  }

  #broke(at: number, error: Error): void {
    if (at === CHANNEL) this.#child.emit('error', error)
    else if (this.#pipes.get(at)?.isClosed === false) this.#child.stdio?.[at]?.destroy(error)
  }

  #ended(at: number): void {
    this.#open.delete(at)
    this.#maybeDone()
  }

  #failed(): void {
    this.#reportEnd()
    // If Node opens no streams, nothing will ever end them.
    if (this.#open.size === 0) this.#maybeDone()
  }

  #reportEnd(): void {
    for (const listener of this.#whenOver.splice(0)) listener()
  }

  #maybeDone(): void {
    if (this.#exited && this.#open.size === 0) this.#effect?.close()
  }
}
