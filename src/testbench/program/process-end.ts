/**
 * Calls back once, at the very end of this process: after every `exit` listener of the program, or when a
 * signal is about to kill it.
 *
 * `process.exit` ends in `process.reallyExit`, also inside an `exit` listener and when a listener throws: the
 * end is there. A process that has nothing left to do, and one that dies of an exception, emit `exit` from
 * Node's own code. An `exit` that the program emits is no end.
 *
 * A signal that the program listens to is the program's: it comes through the gate while recording, and only
 * from the tape in a replay. One without a listener would end the process at once, and the tape with it:
 * it is caught, the end is written, and the process then dies by that very signal. A replay dies by it too,
 * where the program has had all that the tape has and would go on waiting. `process.abort` and a deadly
 * signal that the program sends to itself are ends of this kind.
 *
 * An error of ours at the end is reported on stderr. It does not change how the program ends.
 *
 * Decisions 0154 and 0236.
 */
import { label, printable } from '../../base/index.ts'
import { callersOf } from '../../boundaries/caller.ts'
import { outside } from '../../boundaries/context.ts'
import { type AnyFunction, installPatches, patchFunction } from '../../boundaries/patches.ts'
import { followMessages } from '../../boundaries/process/own-channel.ts'
import { beforeDeath, CAUGHT, followSignals, isFromOutside } from '../../boundaries/process/signals.ts'
import type { Session } from '../../boundaries/session.ts'
import { isResizeListener } from '../../boundaries/stdio/output-terminals.ts'
import { endCallback } from '../../real/async-marks.ts'
import { dieBy, realProcess, writeStderr } from '../../real/program.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import type { SealFacts } from '../../tape/index.ts'

export type ProcessEnd = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The program has sent the signal itself. */
  readonly isOwn?: true
}

/** The end of the process as the seal stores it. */
export function exitFacts({
  code,
  signal,
  isOwn,
}: ProcessEnd): Pick<Scrubbed<SealFacts>, 'exit' | 'endedBy'> {
  const exit = { code, signal: signal === null ? null : scrubbedText`${signal}` }
  return isOwn === true ? { exit, endedBy: BY_PROGRAM } : { exit }
}

const BY_PROGRAM = label('program')

export type EndOptions = {
  readonly session: Session
  /** The program has ended: its `exit` listeners are called next. Called once, before `finish`. */
  readonly ending: () => void
  readonly finish: (end: ProcessEnd) => void
  /** Called for an uncaught exception, before Node prints it. */
  readonly uncaught?: (error: unknown) => void
  /**
   * In a replay whose program has nothing left to do: the signal that killed it here when it was recorded.
   */
  readonly killedHere?: () => NodeJS.Signals | null
}

const PROCESS = label('process')

export type WatchedEnd = {
  /** The end is now: nothing will announce it. */
  finish(end: ProcessEnd): void
  /** Stops watching for the end; signals do again what they do in plain Node. */
  release(): void
}

export function onProcessEnd({ session, ending, finish, uncaught, killedHere }: EndOptions): WatchedEnd {
  let begun = false
  let finished = false
  const begin = (): void => {
    if (begun) return
    begun = true
    ending()
  }
  const once = (end: ProcessEnd): void => {
    if (finished) return
    finished = true
    try {
      begin()
      finish(end)
    } catch (error) {
      writeStderr(
        `reprise: the end of the program could not be written: ${printable(String(error))} [internal]\n`,
      )
    }
  }
  const beginDeath = (end: { readonly signal: NodeJS.Signals; readonly isOwn?: true }): void => {
    once({ code: null, ...end })
    realProcess.removeAllListeners(end.signal)
  }
  const die = (signal: NodeJS.Signals): void => {
    beginDeath({ signal })
    dieBy(signal)
  }
  /**
   * Node ends the process after this event, whatever the listeners do. What one of them throws is an
   * exception like any other.
   */
  const endWith = (listeners: () => unknown, emitted: unknown, callee: AnyFunction): unknown => {
    let outcome: 'returned' | 'threw' = 'threw'
    begin()
    try {
      const handled = listeners()
      outcome = 'returned'
      return handled
    } finally {
      // Called from outside of JavaScript: Node reports what a listener throws, to a callback or as an event.
      // Else it ignores it.
      const isReported = outcome === 'threw' && isFromNative(callee)
      const isCaptured = isReported && realProcess.hasUncaughtExceptionCaptureCallback()
      throwing = isReported && !isCaptured
      const fallback = outcome === 'threw' && !isCaptured ? 1 : emitted
      if (!throwing) once({ code: exitCode(fallback, outcome === 'threw'), signal: null })
    }
  }
  /**
   * A listener of `exit` has thrown, and the process has nothing left to do: it ends, also if the exception
   * is handled.
   */
  let throwing = false
  /**
   * An exception without a handler ends the process with an `exit` event, unless that was emitted before. A
   * listener that throws: 7.
   */
  const endByException = (listeners: () => unknown, error: unknown): unknown => {
    let handled: unknown = null
    try {
      handled = listeners()
    } finally {
      if (handled === null) once({ code: HANDLER_FAILED, signal: null })
    }
    if (handled !== true) uncaught?.(error)
    if (handled !== true && Reflect.get(realProcess, '_exiting') === true)
      once({ code: exitCode(1, true), signal: null })
    if (throwing) once({ code: exitCode(handled === true ? 0 : 1, handled !== true), signal: null })
    return handled
  }
  const own = new Set<unknown>()
  const isOwn = (listener: unknown): boolean => own.has(listener) || isResizeListener(session, listener)
  const countOf = (event: unknown): number =>
    typeof event === 'string'
      ? outside(() => realProcess.listeners(event as NodeJS.Signals)).filter((one) => !isOwn(one)).length
      : 0
  beforeDeath(session, (signal) => {
    if (countOf(signal) === 0) beginDeath({ signal, isOwn: true })
  })

  const makeEmit = (original: AnyFunction): AnyFunction => {
    const follower = followSignals(session, (signal, number) =>
      Reflect.apply(original, realProcess, [signal, signal, number]),
    )
    const messages = followMessages(session, (event, ...args) => {
      if (event === 'disconnect' && realProcess.connected) realProcess.disconnect()
      Reflect.apply(original, realProcess, [event, ...args])
    })
    const countOfChannel = (): number => countOf('message') + countOf('disconnect')
    const emit: AnyFunction = function (this: unknown, event: unknown, ...args: unknown[]): unknown {
      const pass = (): unknown => Reflect.apply(original, this, [event, ...args])
      if (finished) return pass()
      if (event === 'beforeExit' || event === 'exit') endCallback()
      if (follower.takes(event, emit)) {
        if (!session.isLive(PROCESS) && isDeadly(event)) die(event)
        return true
      }
      if (messages.takes(event, args[0], emit)) return true
      if (isDeadly(event) && countOf(event) === 0) {
        // Sent, it kills. Emitted by the program, it finds no listener.
        if (isFromOutside(emit)) die(event)
        return false
      }
      const killer = event === 'beforeExit' ? (killedHere?.() ?? null) : null
      if (killer !== null) die(killer)
      if (event === 'newListener' && !isOwn(args[1])) {
        follower.listeners(args[0], countOf(args[0]) + 1)
        messages.listeners(args[0], countOfChannel() + 1)
      }
      if (event === 'removeListener') {
        follower.listeners(args[0], countOf(args[0]))
        messages.listeners(args[0], countOfChannel())
      }
      if (event === 'exit' && callersOf(emit, 1)[0] === PROCESS_EXIT) begin()
      if (event === 'exit' && isByNode(emit)) return endWith(pass, args[0], emit)
      if (event === 'uncaughtException' && isByNode(emit)) return endByException(pass, args[0])
      return pass()
    }
    return emit
  }
  /**
   * In the place of a function that the program puts in the place of `emit`, for Node: its own may not pass
   * `exit` on.
   */
  const watched = (replaced: AnyFunction): AnyFunction => {
    const watching = function (this: unknown, event: unknown, ...args: unknown[]): unknown {
      const pass = (): unknown => Reflect.apply(replaced, this, [event, ...args])
      return event === 'exit' && !finished ? endWith(pass, args[0], watching) : pass()
    }
    return watching
  }

  const preloaded = takePreloadedEmit()
  installPatches([
    {
      owner: Object.getPrototypeOf(realProcess),
      property: 'emit',
      replace: (original) => emitProperty(makeEmit(preloaded ?? original.value), watched),
    },
    patchFunction(
      realProcess,
      'reallyExit',
      (original) =>
        function reallyExit(this: unknown, ...args: unknown[]): unknown {
          once({ code: Number(args[0]) | 0, signal: null })
          return Reflect.apply(original, this, args)
        },
    ),
    patchFunction(
      realProcess,
      'abort',
      (original) =>
        function abort(this: unknown, ...args: unknown[]): unknown {
          once({ code: null, signal: 'SIGABRT' })
          return Reflect.apply(original, this, args)
        },
    ),
  ])
  const listeners: (() => void)[] = []
  for (const signal of CAUGHT) {
    // It only makes Node catch the signal; what becomes of it is decided where it is emitted.
    const listener = (): void => undefined
    own.add(listener)
    realProcess.on(signal, listener)
    listeners.push(() => realProcess.off(signal, listener))
  }
  return {
    finish: once,
    release() {
      finished = true
      for (const remove of listeners) remove()
    },
  }
}

/** The file of `process.exit`. */
const PROCESS_EXIT = 'node:internal/process/per_thread'
/** The exit code of Node when a listener of `uncaughtException` throws. */
const HANDLER_FAILED = 7

/**
 * `emit` as a property of the prototype of `process`: the program may delete or replace its own. What the
 * program sets is what it reads; Node gets `watched`.
 */
function emitProperty(
  emit: AnyFunction,
  watched: (replaced: AnyFunction) => AnyFunction,
): PropertyDescriptor {
  let replaced: unknown = emit
  const get = (): unknown =>
    replaced !== emit && typeof replaced === 'function' && isByNode(get)
      ? watched(replaced as AnyFunction)
      : replaced
  return {
    get,
    set(this: unknown, value: unknown) {
      if (this === realProcess) replaced = value
      else if (typeof this === 'object' && this !== null)
        Object.defineProperty(this, 'emit', { ...PLAIN, value })
    },
    enumerable: true,
    configurable: true,
  }
}

/**
 * The `emit` that a module put there which Node loaded before us (`.pnp.cjs` of Yarn): it runs behind ours.
 */
function takePreloadedEmit(): AnyFunction | null {
  const value: unknown = Object.getOwnPropertyDescriptor(realProcess, 'emit')?.value
  if (typeof value !== 'function') return null
  Reflect.deleteProperty(realProcess, 'emit')
  return (...args) => Reflect.apply(value, realProcess, args)
}

const PLAIN = { writable: true, enumerable: true, configurable: true } as const

/**
 * Whether Node itself is calling, when the process ends: not `process.exit`, which comes to `reallyExit`, and
 * not the program.
 */
function isByNode(callee: AnyFunction): boolean {
  return callersOf(callee, 1)[0] === 'node:internal/process/execution' || isFromNative(callee)
}

function isFromNative(callee: AnyFunction): boolean {
  const [caller] = callersOf(callee, 1)
  return (
    caller === undefined ||
    // With async hooks Node calls through a function of its own; through `domain` once that is loaded (by
    // `repl`, for example).
    caller === 'node:internal/async_hooks' ||
    caller === 'node:domain'
  )
}

/** The signal of this name, if it ends a process that does not listen to it. */
export function deadlySignal(name: string | null | undefined): NodeJS.Signals | null {
  return CAUGHT.find((signal) => signal === name) ?? null
}

function isDeadly(event: unknown): event is NodeJS.Signals {
  return CAUGHT.some((signal) => signal === event)
}

/** A listener may have changed it while the event went round. After an exception it counts if it is set. */
function exitCode(emitted: unknown, failed: boolean): number {
  const { exitCode: current } = realProcess
  const code = current === undefined || current === null ? Number.NaN : Number(current)
  if (Number.isNaN(code) || (failed && code === 0)) return typeof emitted === 'number' ? emitted : 0
  return code
}
