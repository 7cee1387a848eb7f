/** A call in its three forms, from one description: `statSync`, `stat` with a callback, `promises.stat`. */
import { realSetImmediate } from '../../real/clock.ts'
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession } from '../context.ts'
import { withoutOwnFrames } from '../own-frames.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { abortError, type Call, callAtOnce, callLater, promised, type Settle } from './calls.ts'
import type { Describe } from './described.ts'
import { filesOf } from './files-of-session.ts'
import { outputAtOnce, outputLater } from './output-by-name.ts'
import { withStandardInput } from './standard-input.ts'
import { callInOrder, noteClosed, noteOpened, orderedSession, promiseInOrder } from './uncaptured-calls.ts'
import { apart, type LayeredCall, movedToTape, redirected } from './uncaptured-layer.ts'
import { signalOf } from './whole-file.ts'

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
  if (call === null) return null
  return { session, call: call.name === 'rename' ? moving(session, call, args[0]) : call }
}

/** Once its answer has come from the tape, the layer has lost the file that it moves. */
function moving(session: Session, call: Call, source: unknown): Call {
  const { name, path, key, names, args } = call
  return {
    name,
    path,
    key,
    names,
    args,
    answer: (value) => call.answer(value),
    value(answer) {
      movedToTape(session, source)
      return call.value(answer)
    },
  }
}

/**
 * `name` is without `Sync`. `prepared` returns the arguments of the call, if they are not the program's own.
 */
export function atOnce(
  name: string,
  describe: Describe,
  real: AnyFunction,
  prepared?: Prepare,
): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const standIn = function (this: unknown, ...given: unknown[]): unknown {
      const args = prepared === undefined ? given : [...prepared(given, standIn)]
      const found = crossing(describe, args, standIn)
      if (found === null) {
        const elsewhere = redirected('sync', name, args, standIn)
        const isWhole = name === 'cp' && copiesWhole()
        const perform = (): unknown =>
          elsewhere?.type === 'layer'
            ? elsewhere.perform()
            : Reflect.apply(original, this, [...(elsewhere?.args ?? args)])
        // Each frame of ours takes the place of one of the program's in the stack of an error.
        const value =
          elsewhere === null && !isWhole
            ? leftToNode(() => Reflect.apply(original, this, args))
            : leftToNode(() => (isWhole ? apart(name, args, perform) : perform()))
        if (name === 'open') noteOpened(args, standIn, value)
        if (name === 'close') noteClosed(args)
        return value
      }
      const { session, call } = found
      if (call.output !== undefined)
        return outputAtOnce(call, call.output, () => Reflect.apply(original, this, args))
      const receiver = receiverLike(this)
      return callAtOnce(session, call, (given) => Reflect.apply(real, receiver, given), standIn)
    }
    return standIn
  }
}

function copiesWhole(): boolean {
  const session = isOwnFileCall() ? null : activeSession('filesystem')
  return session !== null && filesOf(session).copiesWhole
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
export type InvokeCallback = (
  callback: AnyFunction,
  error: Error | null,
  value: unknown,
  call: Pick<Call, 'args'>,
) => void

const invokeWithValue: InvokeCallback = (callback, error, value) => {
  if (error !== null) callback(error)
  else if (value === undefined) callback(null)
  else callback(null, value)
}

export function calledBack(
  name: string,
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
        const session = at < 0 ? null : orderedSession(args, standIn, name === 'cp')
        const elsewhere = at < 0 ? null : redirected('later', name, args.slice(0, at), standIn)
        const perform = (given: readonly unknown[]): unknown =>
          elsewhere?.type === 'layer'
            ? performLater(elsewhere, given, at, invoke)
            : Reflect.apply(original, this, [...(elsewhere?.args ?? given.slice(0, at)), ...given.slice(at)])
        return session === null ? perform(args) : callInOrder(session, original.name, args, at, perform)
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

/** Node calls back in a later turn. */
function performLater(
  { perform }: LayeredCall,
  args: readonly unknown[],
  at: number,
  invoke: InvokeCallback,
): void {
  const callback = args[at] as AnyFunction
  let error: Error | null = null
  let value: unknown
  try {
    value = perform()
  } catch (thrown) {
    error = thrown instanceof Error ? thrown : new Error(String(thrown))
  }
  realSetImmediate(() => invoke(callback, error, value, { args }))
}

export function asPromise(
  name: string,
  describe: Describe,
  real: AnyFunction,
): (original: AnyFunction) => AnyFunction {
  return (original) => {
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const found = crossing(describe, args, standIn)
      if (found === null) {
        const session = orderedSession(args, standIn, name === 'cp')
        const elsewhere = redirected('later', name, args, standIn)
        const perform = (): unknown =>
          elsewhere?.type === 'layer'
            ? performed(elsewhere, args)
            : Reflect.apply(original, this, [...(elsewhere?.args ?? args)])
        return session === null ? perform() : promiseInOrder(session, `promises.${original.name}`, perform)
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

async function performed({ perform }: LayeredCall, args: readonly unknown[]): Promise<unknown> {
  const signal = signalOf(args.at(-1))
  if (signal?.aborted === true) throw abortError(signal.reason)
  return perform()
}
