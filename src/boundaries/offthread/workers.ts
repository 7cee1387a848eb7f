/**
 * Worker threads are not captured: one that the program starts is a gap, and refused in a replay. Threads
 * that Node starts for module loaders are made of a class of its own, and never come here.
 */
import { label } from '../../base/index.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction, Patch } from '../patches.ts'

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

/** The class itself, seen through a proxy: `instanceof`, subclasses and static properties are as before. */
function watched(original: AnyFunction): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      const session = activeSession('offthread')
      if (session?.isLive(WORKER) === true) session.gap(WORKER, REASON)
      // No worker is on any tape: starting one throws the divergence, and keeps it.
      else session?.start(WORKER, NAME, () => undefined)
      return Reflect.construct(target, args, newTarget)
    },
  })
}
