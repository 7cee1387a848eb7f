/**
 * `performance.mark` and `performance.measure` read the clock inside Node. If the program does not pass a
 * time, it is read here and passed on.
 */
import { owners } from '../../real/clock-owners.ts'
import { isReadByUndici } from '../caller.ts'
import { activeSession } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import { readPerformanceNow } from './reads.ts'

export function markPatches(): Patch[] {
  return [
    patchFunction(owners.performancePrototype, 'mark', mark),
    patchFunction(owners.performancePrototype, 'measure', measure),
  ]
}

function mark(original: AnyFunction): AnyFunction {
  const standIn = {
    mark(this: unknown, ...args: unknown[]): unknown {
      const session = this === owners.performance ? activeSession('clock') : null
      const [name, options] = args
      if (
        session === null ||
        args.length === 0 ||
        !isOpen(options, 'startTime') ||
        isReadByUndici(standIn.mark)
      ) {
        return Reflect.apply(original, this, args)
      }
      return Reflect.apply(original, this, [name, { ...options, startTime: readPerformanceNow(session) }])
    },
  }
  return standIn.mark
}

function measure(original: AnyFunction): AnyFunction {
  const standIn = {
    measure(this: unknown, ...args: unknown[]): unknown {
      const session = this === owners.performance ? activeSession('clock') : null
      const [name, from, to] = args
      if (session === null || args.length === 0 || to !== undefined || isReadByUndici(standIn.measure)) {
        return Reflect.apply(original, this, args)
      }
      // measure(name), measure(name, startMark), measure(name, { start, end, duration })
      if (typeof from === 'string')
        return Reflect.apply(original, this, [name, { start: from, end: readPerformanceNow(session) }])
      if (!isOpen(from, 'end') || Reflect.get(from ?? {}, 'duration') !== undefined)
        return Reflect.apply(original, this, args)
      return Reflect.apply(original, this, [name, { ...from, end: readPerformanceNow(session) }])
    },
  }
  return standIn.measure
}

/** Options without a time. */
function isOpen(options: unknown, time: string): options is object | null | undefined {
  if (options === undefined || options === null) return true
  return typeof options === 'object' && Reflect.get(options, time) === undefined
}
