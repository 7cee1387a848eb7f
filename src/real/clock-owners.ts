/**
 * The objects whose clock and timer functions a recorder replaces, and what only Node's own timers can give:
 * their classes, their error for an aborted wait. Captured before anything is patched.
 */
import { performance } from 'node:perf_hooks'
import { addAbortSignal, Readable } from 'node:stream'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'

const { setTimeout, clearTimeout, setImmediate, clearImmediate } = timers

export type TimeoutHandle = NodeJS.Timeout & {
  _idleTimeout: number
  _onTimeout: ((...args: unknown[]) => unknown) | null | undefined
  _timerArgs: unknown[] | undefined
  _destroyed: boolean
}
type TimeoutClass = new (
  callback: unknown,
  after: unknown,
  args: unknown[] | undefined,
  repeats: boolean,
  refed: boolean,
) => TimeoutHandle

export type ImmediateHandle = {
  _onImmediate: ((...args: unknown[]) => unknown) | null | undefined
  _argv: unknown[] | undefined
}

const spentTimeout = setTimeout(() => undefined, 1)
clearTimeout(spentTimeout)
const spentImmediate = setImmediate(() => undefined)
clearImmediate(spentImmediate)
const Timeout = spentTimeout.constructor as TimeoutClass
const immediatePrototype: object = Object.getPrototypeOf(spentImmediate)

export const RealDate: DateConstructor = globalThis.Date
export const realDateText: (date: Date) => string = (date) => Reflect.apply(dateToString, date, [])
const dateToString = RealDate.prototype.toString

export const owners = {
  globals: globalThis,
  process,
  performance,
  performancePrototype: Object.getPrototypeOf(performance) as object,
  timers,
  timersPromises,
  schedulerPrototype: Object.getPrototypeOf(timersPromises.scheduler) as object,
  timeoutPrototype: Timeout.prototype as object,
  immediatePrototype,
  abortSignal: globalThis.AbortSignal,
  dateTimeFormatPrototype: Intl.DateTimeFormat.prototype as object,
} as const

/**
 * A true `Timeout` that no list of Node holds: it looks and warns (overflow, NaN) like any other and never
 * fires on its own. Not refed, so that it does not count as a reason to stay alive.
 */
export function unarmedTimeout(
  callback: unknown,
  after: unknown,
  args: unknown[] | undefined,
  repeats: boolean,
): TimeoutHandle {
  return new Timeout(callback, after, args, repeats, false)
}

/**
 * Marks an unarmed timeout as cleared: Node's own clear does what is needed, and finds nothing to take out of
 * its lists.
 */
export const spend: (handle: TimeoutHandle) => void = (handle) => clearTimeout(handle)

/**
 * An `Immediate` that is in no queue of Node; `prototype` inherits from its class. `_destroyed` is set from the
 * start: Node's own `clearImmediate`, once the patches are gone, would otherwise count one immediate less than there are.
 */
export function unarmedImmediate(
  prototype: object,
  callback: (...args: unknown[]) => unknown,
  args: unknown[] | undefined,
): ImmediateHandle {
  const handle: ImmediateHandle = Object.create(prototype)
  for (const key of Reflect.ownKeys(spentImmediate))
    Reflect.set(handle, key, Reflect.get(spentImmediate, key))
  handle._onImmediate = callback
  handle._argv = args
  return handle
}

type AbortErrorClass = new (message: string | undefined, options: { readonly cause: unknown }) => Error
let AbortError: AbortErrorClass | null = null

/**
 * The class of Node's AbortError is only reachable through a failure; a stream whose signal is aborted already does so at
 * once.
 */
function nodesAbortError(): AbortErrorClass | null {
  const stream = new Readable({ read: () => undefined }).on('error', () => undefined)
  const { errored } = addAbortSignal(globalThis.AbortSignal.abort(), stream)
  return errored === null ? null : (errored.constructor as AbortErrorClass)
}

/** The error with which Node's promised timers reject when their signal is aborted. */
export function abortError(reason: unknown): Error {
  AbortError ??= nodesAbortError()
  if (AbortError !== null) return new AbortError(undefined, { cause: reason })
  return Object.assign(new Error('The operation was aborted', { cause: reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  })
}
