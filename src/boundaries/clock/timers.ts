/**
 * The patched timer functions: on `globalThis` and `node:timers`, and the methods of the objects that they
 * return.
 *
 * Timers created outside a session can be cleared inside one, and the reverse. An invalid callback goes to
 * the original, which has the right error.
 *
 * Decision 0070.
 */
import { owners, type TimeoutHandle } from '../../real/clock-owners.ts'
import { callersOf } from '../caller.ts'
import { activeSession } from '../context.ts'
import { letImmediateGoFirst } from '../gate.ts'
import { type AnyFunction, disguise, type Patch, patchFunction } from '../patches.ts'
import { isTimerOfNode } from './node-timers.ts'
import { isResolve } from './resolve-function.ts'
import {
  clearSessionImmediate,
  clearTimer,
  numberOf,
  refreshTimer,
  sessionImmediate,
  sessionTimer,
  setTimerRef,
  startImmediate,
  startTimer,
  timerByNumber,
  timerHasRef,
} from './timer.ts'

type Make = (original: AnyFunction) => AnyFunction

const FUNCTIONS: Readonly<Record<string, Make>> = {
  setTimeout: starting('setTimeout', false),
  setInterval: starting('setInterval', true),
  setImmediate,
  clearTimeout: clearing,
  clearInterval: clearing,
  clearImmediate,
}

export function timerPatches(): Patch[] {
  const functions = Object.entries(FUNCTIONS).flatMap(([name, make]) => {
    const once = oncePerOriginal(make)
    return [replacing(owners.timers, name, once), replacing(owners.globals, name, once)]
  })
  return [...functions, ...timeoutMethods()]
}

function starting(api: string, repeats: boolean): Make {
  return (original) => {
    const standIn = function (this: unknown, ...all: unknown[]): unknown {
      const session = activeSession('clock')
      const [callback, after, ...args] = all
      if (session === null || !isFunction(callback) || isTimerOfNode(session, callback, standIn))
        return Reflect.apply(original, this, all)
      return startTimer(session, {
        api,
        callback,
        after,
        args: all.length > 2 ? args : undefined,
        repeats,
        sleeps: !repeats && isResolve(callback),
      })
    }
    return standIn
  }
}

/** Where Node calls the handlers of uncaught errors. */
const UNCAUGHT = 'node:internal/process/execution'

function setImmediate(original: AnyFunction): AnyFunction {
  const standIn = function (this: unknown, ...all: unknown[]): unknown {
    const session = activeSession('clock')
    const [callback, ...args] = all
    if (session === null || !isFunction(callback)) return Reflect.apply(original, this, all)
    if (!isTimerOfNode(session, callback, standIn))
      try {
        return startImmediate(session, 'setImmediate', callback, all.length > 1 ? args : undefined)
      } catch (error) {
        // Node calls it after a handler of uncaught errors. The divergence is kept; thrown there, it would end
        // the process at once, without a verdict.
        if (callersOf(standIn, 1)[0] !== UNCAUGHT) throw error
        return undefined
      }
    const made = Reflect.apply(original, this, all)
    letImmediateGoFirst()
    return made
  }
  return standIn
}

function clearing(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const timer = sessionTimer(all[0]) ?? numberedTimer(all[0])
    return timer === null ? Reflect.apply(original, this, all) : clearTimer(timer)
  }
}

function numberedTimer(value: unknown): TimeoutHandle | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const session = activeSession('clock')
  return session === null ? null : timerByNumber(session, value)
}

function clearImmediate(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const immediate = sessionImmediate(all[0])
    if (immediate !== null) return clearSessionImmediate(immediate)
    return sessionTimer(all[0]) === null ? Reflect.apply(original, this, all) : undefined
  }
}

function timeoutMethods(): Patch[] {
  const method = (name: PropertyKey, act: (timer: TimeoutHandle) => unknown): Patch =>
    patchFunction(owners.timeoutPrototype, name, (original) => {
      const call = (self: unknown, args: unknown[]): unknown => {
        const timer = sessionTimer(self)
        return timer === null ? Reflect.apply(original, self, args) : act(timer)
      }
      if (Object.hasOwn(original, 'prototype'))
        return function (this: unknown, ...args: unknown[]): unknown {
          return call(this, args)
        }
      // A method like the original, so that it needs no wrapper.
      const { method } = {
        method(this: unknown, ...args: unknown[]): unknown {
          return call(this, args)
        },
      }
      return method
    })
  const chained = (act: (timer: TimeoutHandle) => void) => (timer: TimeoutHandle) => {
    act(timer)
    return timer
  }
  return [
    method('refresh', chained(refreshTimer)),
    method(
      'ref',
      chained((timer) => setTimerRef(timer, true)),
    ),
    method(
      'unref',
      chained((timer) => setTimerRef(timer, false)),
    ),
    method('hasRef', timerHasRef),
    method('close', chained(clearTimer)),
    method(Symbol.dispose, clearTimer),
    method(Symbol.toPrimitive, numberOf),
  ]
}

/** `globalThis.setTimeout` and `timers.setTimeout` are the same function, and so are their stand-ins. */
function oncePerOriginal(make: Make): Make {
  const made = new WeakMap<AnyFunction, AnyFunction>()
  return (original) => {
    const standIn = made.get(original) ?? disguise(make(original), original)
    made.set(original, standIn)
    return standIn
  }
}

function replacing(owner: object, property: string, make: Make): Patch {
  return {
    owner,
    property,
    replace: (descriptor) => ({ ...descriptor, value: make(descriptor.value as AnyFunction) }),
  }
}

function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function'
}
