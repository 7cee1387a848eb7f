/** Detects the functions that a promise passes to its executor. */
import { types } from 'node:util'
import type { AnyFunction } from '../patches.ts'

/**
 * True for a native function without a name and with one parameter. Node cannot distinguish `resolve` from
 * `reject`; a timer that rejects is a wait too.
 */
export function isResolve(callback: AnyFunction): boolean {
  if (types.isProxy(callback) || callback.name !== '' || callback.length !== 1) return false
  return Function.prototype.toString.call(callback) === NATIVE
}

const NATIVE = 'function () { [native code] }'
