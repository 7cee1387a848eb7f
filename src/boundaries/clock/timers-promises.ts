/**
 * `node:timers/promises`, `scheduler` and `AbortSignal.timeout`, which use internal timers in Node: built
 * again here on a session's timers. Arguments that Node rejects, and a signal that is already aborted, go to
 * the original, which has the right errors.
 */
import { abortError, owners } from '../../real/clock-owners.ts'
import { activeSession } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { clearSessionImmediate, clearTimer, startImmediate, startTimer } from './timer.ts'

type Options = { readonly signal?: AbortSignal; readonly ref?: boolean }

export function promisedTimerPatches(): Patch[] {
  return [
    patchFunction(owners.timersPromises, 'setTimeout', promisedTimeout),
    patchFunction(owners.timersPromises, 'setImmediate', promisedImmediate),
    patchFunction(owners.timersPromises, 'setInterval', promisedInterval),
    patchFunction(owners.schedulerPrototype, 'wait', schedulerWait),
    patchFunction(owners.schedulerPrototype, 'yield', schedulerYield),
    patchFunction(owners.abortSignal, 'timeout', abortSignalTimeout),
  ]
}

function promisedTimeout(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const session = activeSession('clock')
    const [after, value, options] = all
    if (session === null || !isDelay(after) || !isUsable(options)) return Reflect.apply(original, this, all)
    return waitFor(session, 'timers.promises.setTimeout', after, value, options)
  }
}

function promisedImmediate(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const session = activeSession('clock')
    const [value, options] = all
    if (session === null || !isUsable(options)) return Reflect.apply(original, this, all)
    return yieldOnce(session, 'timers.promises.setImmediate', value, options)
  }
}

function promisedInterval(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const session = activeSession('clock')
    const [after, value, options] = all
    if (session === null || !isDelay(after) || !isUsable(options)) return Reflect.apply(original, this, all)
    return everyInterval(session, after, value, options ?? {})
  }
}

function schedulerWait(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const session = this === owners.timersPromises.scheduler ? activeSession('clock') : null
    const [after, options] = all
    if (session === null || !isDelay(after) || !isUsable(options)) return Reflect.apply(original, this, all)
    return waitFor(session, 'scheduler.wait', after, undefined, options)
  }
}

function schedulerYield(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const session = this === owners.timersPromises.scheduler ? activeSession('clock') : null
    return session === null
      ? Reflect.apply(original, this, all)
      : yieldOnce(session, 'scheduler.yield', undefined, undefined)
  }
}

function abortSignalTimeout(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...all: unknown[]): unknown {
    const session = activeSession('clock')
    const [delay] = all
    if (session === null || !isUint32(delay)) return Reflect.apply(original, this, all)
    const controller = new AbortController()
    const callback = (): void =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    startTimer(session, { api: 'AbortSignal.timeout', callback, after: delay, ref: false })
    return controller.signal
  }
}

function waitFor(
  session: Session,
  api: string,
  after: number | undefined,
  value: unknown,
  options: Options = {},
): Promise<unknown> {
  const { signal, ref = true } = options
  const { promise, resolve, reject } = deferred()
  const timer = startTimer(session, { api, callback: () => resolve(value), after, ref, sleeps: true })
  return cancellable(promise, signal, () => {
    clearTimer(timer)
    reject(abortError(signal?.reason))
  })
}

function yieldOnce(session: Session, api: string, value: unknown, options: Options = {}): Promise<unknown> {
  const { signal, ref = true } = options
  const { promise, resolve, reject } = deferred()
  const immediate = startImmediate(session, api, () => resolve(value), undefined, ref)
  return cancellable(promise, signal, () => {
    clearSessionImmediate(immediate)
    reject(abortError(signal?.reason))
  })
}

/** Turns that a slow reader missed are delivered one after the other, without waiting. */
async function* everyInterval(
  session: Session,
  after: number | undefined,
  value: unknown,
  { signal, ref = true }: Options,
): AsyncGenerator<unknown> {
  let due = 0
  let wake: (() => void) | null = null
  const nudge = (): void => {
    wake?.()
    wake = null
  }
  const callback = (): void => {
    due += 1
    nudge()
  }
  const timer = startTimer(session, {
    api: 'timers.promises.setInterval',
    callback,
    after,
    repeats: true,
    ref,
  })
  const cancel = (): void => {
    clearTimer(timer)
    nudge()
  }
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    while (signal?.aborted !== true) {
      if (due === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      for (; due > 0; due -= 1) yield value
    }
    throw abortError(signal.reason)
  } finally {
    clearTimer(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

function cancellable(
  promise: Promise<unknown>,
  signal: AbortSignal | undefined,
  cancel: () => void,
): Promise<unknown> {
  if (signal === undefined) return promise
  signal.addEventListener('abort', cancel)
  return promise.finally(() => signal.removeEventListener('abort', cancel))
}

function deferred(): {
  readonly promise: Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
} {
  let settle: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined
  const promise = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject }
  })
  if (settle === undefined) throw new TypeError('a promise without an executor')
  return { promise, ...settle }
}

function isDelay(value: unknown): value is number | undefined {
  return value === undefined || typeof value === 'number'
}

/** Options that Node accepts, with a signal that is not aborted yet. */
function isUsable(options: unknown): options is Options | undefined {
  if (options === undefined) return true
  if (typeof options !== 'object' || options === null) return false
  const ref: unknown = Reflect.get(options, 'ref')
  const signal: unknown = Reflect.get(options, 'signal')
  return (
    (ref === undefined || typeof ref === 'boolean') &&
    (signal === undefined || (signal instanceof AbortSignal && !signal.aborted))
  )
}

function isUint32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32
}
