/**
 * Worker threads are not captured: one that the program starts is a gap. Threads that Node starts for module loaders are made of a class of its own,
 * and never come here.
 */
import { label } from '../../base/index.ts'
import { offthreadOwners } from '../../real/offthread-owners.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction, Patch } from '../patches.ts'

const WORKER = label('worker')
const REASON = 'a worker thread was started: what it takes in and what it sends are not recorded'

export function workerPatches(): Patch[] {
  return [
    {
      owner: offthreadOwners.workerThreads,
      property: 'Worker',
      replace: (descriptor) => ({ ...descriptor, value: noting(descriptor.value as AnyFunction) }),
    },
  ]
}

/** The class itself, seen through a proxy: `instanceof`, subclasses and static properties are as before. */
function noting(original: AnyFunction): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      activeSession('offthread')?.gap(WORKER, REASON)
      return Reflect.construct(target, args, newTarget)
    },
  })
}
