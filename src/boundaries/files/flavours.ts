/** A call in its three forms, from one description: `statSync`, `stat` with a callback, `promises.stat`. */
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession } from '../context.ts'
import { withoutOwnFrames } from '../own-frames.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { type Call, callAtOnce, callLater, promised, type Settle } from './calls.ts'
import type { Describe } from './described.ts'
import { filesOf } from './files-of-session.ts'
import { outputAtOnce, outputLater } from './output-by-name.ts'
import { withStandardInput } from './standard-input.ts'
import { callInOrder, noteClosed, noteOpened, orderedSession, promiseInOrder } from './uncaptured-calls.ts'

/** The session of the call, and the call; null if the original must be called. */
function crossing(
  describe: Describe,
  args: readonly unknown[],
  callee: AnyFunction,
): { readonly session: Session; readonly call: Call } | null {
  if (isOwnFileCall()) return null
  const session = activeSession('filesystem')
  if (session === null) return null
  const call = describe(withStandardInput(filesOf(session)), args, callee)
  return call === null ? null : { session, call }
}

/** `prepared` returns the arguments of the call, if they are not the program's own. */
export function atOnce(
  describe: Describe,
  real: AnyFunction,
  prepared?: Prepare,
): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const standIn = function (this: unknown, ...given: unknown[]): unknown {
      const args = prepared === undefined ? given : [...prepared(given, standIn)]
      const found = crossing(describe, args, standIn)
      if (found === null) {
        const value = leftToNode(() => Reflect.apply(original, this, args))
        if (original.name === 'openSync') noteOpened(args, standIn, value)
        if (original.name === 'closeSync') noteClosed(args)
        return value
      }
      if (found.call.output !== undefined)
        return outputAtOnce(found.call, found.call.output, () => Reflect.apply(original, this, args))
      const receiver = receiverLike(this)
      return callAtOnce(found.session, found.call, (given) => Reflect.apply(real, receiver, given), standIn)
    }
    return standIn
  }
}

/** Stack traces name the object of a call: a module (`Object.readFile`), or nothing. */
function receiverLike(receiver: unknown): object | undefined {
  return receiver === undefined || receiver === null ? undefined : MODULE
}

const MODULE = {}

function leftToNode(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    withoutOwnFrames(error)
    throw error
  }
}

type Prepare = (args: readonly unknown[], callee: AnyFunction) => readonly unknown[]

/** How a callback is called: most receive only the value. */
export type InvokeCallback = (callback: AnyFunction, error: Error | null, value: unknown, call: Call) => void

const invokeWithValue: InvokeCallback = (callback, error, value) => {
  if (error !== null) callback(error)
  else if (value === undefined) callback(null)
  else callback(null, value)
}

export function calledBack(
  describe: Describe,
  real: AnyFunction,
  invoke: InvokeCallback = invokeWithValue,
): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const at = args.findLastIndex((argument) => typeof argument === 'function')
      // Without a callback Node rejects the call with its own error.
      const found = at < 0 ? null : crossing(describe, args.slice(0, at), standIn)
      if (found === null) {
        const session = at < 0 ? null : orderedSession(args, standIn)
        if (session === null) return Reflect.apply(original, this, args)
        return callInOrder(session, original.name, args, at, (given) =>
          Reflect.apply(original, this, [...given]),
        )
      }
      const { session, call } = found
      const callback = args[at] as AnyFunction
      if (call.output !== undefined) {
        const { output } = call
        return outputLater(call, output, callback, (wrapped) =>
          Reflect.apply(original, this, [...args.slice(0, at), wrapped, ...args.slice(at + 1)]),
        )
      }
      const settle: Settle = (error, value) => invoke(callback, error, value, call)
      callLater(session, call, (given, done) => Reflect.apply(real, undefined, [...given, done]), settle)
      return undefined
    }
    return standIn
  }
}

export function asPromise(describe: Describe, real: AnyFunction): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const found = crossing(describe, args, standIn)
      if (found === null) {
        const session = orderedSession(args, standIn)
        if (session === null) return Reflect.apply(original, this, args)
        return promiseInOrder(session, `promises.${original.name}`, () => Reflect.apply(original, this, args))
      }
      if (found.call.output !== undefined)
        return outputAtOnce(found.call, found.call.output, () => Reflect.apply(original, this, args))
      const receiver = receiverLike(this)
      return promised(found.session, found.call, (given, done) => {
        Reflect.apply(real, receiver, given).then((value: unknown) => done(null, value), done)
      })
    }
    return standIn
  }
}
