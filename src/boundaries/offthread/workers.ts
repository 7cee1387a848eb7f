/**
 * Worker threads are not captured: one that the program starts is a gap, and refused in a replay. Node starts
 * threads for module loaders with another class, so these never reach this code.
 */
import { label } from '../../base/index.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { realEnv } from '../../real/process.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction, Patch } from '../patches.ts'
import { tapedWithoutPipe } from '../process/recorded-child.ts'
import type { Session } from '../session.ts'

const WORKER = label('worker')
const NAME = 'new Worker'
const REASON = `${NAME}: a worker thread was started; what it takes in and what it sends are not recorded`

export function workerPatches(): Patch[] {
  const { workerThreads } = offthreadOwners
  const prototype: object = workerThreads.Worker.prototype
  const guarded = new Map<unknown, AnyFunction>()
  const replace = (descriptor: PropertyDescriptor): PropertyDescriptor => {
    const value = guarded.get(descriptor.value) ?? watched(descriptor.value as AnyFunction)
    guarded.set(descriptor.value, value)
    return { ...descriptor, value }
  }
  return [
    { owner: workerThreads, property: 'Worker', replace },
    { owner: prototype, property: 'constructor', replace },
  ]
}

/** The class itself, behind a proxy: `instanceof`, subclasses and static properties stay the same. */
function watched(original: AnyFunction): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      const session = activeSession('offthread')
      if (session?.isLive(WORKER) === true) {
        session.gap(WORKER, REASON)
        return Reflect.construct(target, withChildTapes(session, args), newTarget)
      }
      // No tape has a worker: starting one throws the divergence, and keeps it.
      session?.start(WORKER, NAME, () => undefined)
      return Reflect.construct(target, args, newTarget)
    },
  })
}

/** The thread is not recorded, but the Node children that it starts are. One that shares our environment has none. */
function withChildTapes(session: Session, [file, given, ...rest]: readonly unknown[]): readonly unknown[] {
  const options: { readonly env?: unknown } = typeof given === 'object' && given !== null ? given : {}
  const env: unknown = options.env ?? realEnv
  if (typeof env !== 'object' || env === null) return [file, given, ...rest]
  const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
  const taped = tapedWithoutPipe(session, { file: 'worker', args: [], cwd: null, env: named })
  return taped === null ? [file, given, ...rest] : [file, { ...options, env: taped.env }, ...rest]
}
