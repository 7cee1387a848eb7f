/**
 * Calls back once, at the very end of this process: after every `exit` listener of the program, or when a signal is about to kill it.
 *
 * A signal that the program listens to is the program's: it comes through the gate while recording, and only from the tape in a replay. One that nobody
 * listens to would end the process on the spot, and the tape with it: it is caught, the end is written, and the process then dies by that very signal. A
 * replay dies by it too, where the program has had all that the tape has and would go on waiting.
 */
import { type AnyFunction, installPatches, patchFunction } from '../../boundaries/patches.ts'
import { followSignals, isFromOutside } from '../../boundaries/process/signals.ts'
import type { Session } from '../../boundaries/session.ts'
import { dieBy, realProcess } from '../../real/program.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import type { SealFacts } from '../../tape/index.ts'

export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The end of the process as the seal stores it. */
export function exitOf({ code, signal }: ProcessEnd): NonNullable<Scrubbed<SealFacts>['exit']> {
  return { code, signal: signal === null ? null : scrubbedText`${signal}` }
}

export type EndOptions = {
  readonly session: Session
  readonly finish: (end: ProcessEnd) => void
  /** Hears of an exception that nobody has caught, before Node prints it. */
  readonly uncaught?: (error: unknown) => void
  /** In a replay whose program has nothing left to do: the signal that killed it here when it was recorded. */
  readonly killedHere?: () => NodeJS.Signals | null
}

const DEADLY: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

export function onProcessEnd({ session, finish, uncaught, killedHere }: EndOptions): void {
  let finished = false
  const once = (end: ProcessEnd): void => {
    if (finished) return
    finished = true
    finish(end)
  }
  const die = (signal: NodeJS.Signals): void => {
    once({ code: null, signal })
    realProcess.removeAllListeners(signal)
    dieBy(signal)
  }
  /** A listener that throws ends the process with 1: the end is told all the same. */
  const endWith = (listeners: () => unknown, emitted: unknown): unknown => {
    let code = 1
    try {
      const handled = listeners()
      code = exitCode(emitted)
      return handled
    } finally {
      once({ code, signal: null })
    }
  }
  const own = new Set<unknown>()
  const countOf = (event: unknown): number =>
    typeof event === 'string' ? realProcess.listeners(event as NodeJS.Signals).filter((one) => !own.has(one)).length : 0

  installPatches([
    patchFunction(realProcess, 'emit', (original) => {
      const follower = followSignals(session, (signal, number) => Reflect.apply(original, realProcess, [signal, signal, number]))
      const emit: AnyFunction = function (this: unknown, event: unknown, ...args: unknown[]): unknown {
        if (finished) return Reflect.apply(original, this, [event, ...args])
        if (follower.takes(event, emit)) {
          if (session.mode === 'replay' && isDeadly(event)) die(event)
          return true
        }
        if (isDeadly(event) && countOf(event) === 0) {
          // Sent, it kills. Emitted by the program, it finds nobody who listens.
          if (isFromOutside(emit)) die(event)
          return false
        }
        const killer = event === 'beforeExit' ? (killedHere?.() ?? null) : null
        if (killer !== null) die(killer)
        if (event === 'newListener' && !own.has(args[1])) follower.listeners(args[0], countOf(args[0]) + 1)
        if (event === 'removeListener') follower.listeners(args[0], countOf(args[0]))
        if (event === 'exit') return endWith(() => Reflect.apply(original, this, [event, ...args]), args[0])
        const handled: unknown = Reflect.apply(original, this, [event, ...args])
        if (event === 'uncaughtException' && handled !== true) uncaught?.(args[0])
        return handled
      }
      return emit
    }),
  ])
  for (const signal of DEADLY) {
    // It only makes Node catch the signal; what becomes of it is decided where it is emitted.
    const listener = (): void => undefined
    own.add(listener)
    realProcess.on(signal, listener)
  }
}

/** The signal of this name, if it ends a process that does not listen to it. */
export function deadlySignal(name: string | null | undefined): NodeJS.Signals | null {
  return DEADLY.find((signal) => signal === name) ?? null
}

function isDeadly(event: unknown): event is NodeJS.Signals {
  return DEADLY.some((signal) => signal === event)
}

/** A listener may have changed it while the event went round. */
function exitCode(emitted: unknown): number {
  const { exitCode: current } = realProcess
  return typeof current === 'number' ? current : typeof emitted === 'number' ? emitted : 0
}
