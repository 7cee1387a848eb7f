/**
 * Timers and immediates that Node's own JavaScript creates for itself. They are not the program's: they are
 * neither recorded nor refused, and the original functions create them.
 *
 * - Modules of Node keep the functions that they found when they were loaded, which may be ours. Their
 *   callbacks have known names.
 * - The bundled undici looks the functions up in each call. Its fast timers run in the async context of
 *   the code that started the first of them, so they may call us in a session that never used the network. One
 *   timer is recorded as the program's: the wait before an `EventSource` reconnects, a promise's `resolve`.
 * - After a session has ended, every call of Node's own.
 *
 * Decision 0305.
 */
import { isUndiciLoaded } from '../../real/network.ts'
import { isCalledFrom, UNDICI } from '../caller.ts'
import { hasEnded } from '../ended-session.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { isResolve } from './resolve-function.ts'

/** After a caught exception, Node flushes its ticks in an immediate that it creates here. */
const FLUSH = 'processTicksAndRejections'
const CALLBACKS = new Set([
  'destroySSL',
  'closeParserInstance',
  'bound checkConnections',
  'internalConnectMultipleTimeout',
])
const NODE = 'node:'

/** `standIn` is the patched function that was called with `callback`. */
export function isTimerOfNode(session: Session, callback: AnyFunction, standIn: AnyFunction): boolean {
  const { name } = callback
  if (name === FLUSH) return true
  if (hasEnded(session) || CALLBACKS.has(name)) return isCalledFrom(standIn, NODE)
  return isUndiciLoaded() && isCalledFrom(standIn, UNDICI) && !isResolve(callback)
}
