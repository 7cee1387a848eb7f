/**
 * Timers and immediates that Node's own JavaScript makes for itself. They are not the program's: they are
 * neither recorded nor refused, and the original functions make them.
 *
 * - Modules of Node hold the functions that they found when they were loaded, which may be ours. Their
 *   callbacks have known names.
 * - The bundled undici looks the functions up in each call. Its fast timers run in the async context of
 *   the code that started the first of them, so they may call us in a session that never used the network. One
 *   timer is kept for the program: the wait before an `EventSource` connects again, a promise's `resolve`.
 * - When a session has ended, every call of Node's own.
 *
 * Decision 0305.
 */
import { isUndiciLoaded } from '../../real/network.ts'
import { isCalledFrom } from '../caller.ts'
import { hasEnded } from '../ended-session.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { isResolve } from './resolve-function.ts'

/** After an exception that was caught, Node flushes its ticks in an immediate that it makes here. */
const FLUSH = 'processTicksAndRejections'
const CALLBACKS = new Set([
  'destroySSL',
  'closeParserInstance',
  'bound checkConnections',
  'internalConnectMultipleTimeout',
])
const NODE = 'node:'
const UNDICI = 'node:internal/deps/undici'

/** `standIn` is the patched function that was called with `callback`. */
export function isTimerOfNode(session: Session, callback: AnyFunction, standIn: AnyFunction): boolean {
  const { name } = callback
  if (name === FLUSH) return true
  if (hasEnded(session) || CALLBACKS.has(name)) return isCalledFrom(standIn, NODE)
  return isUndiciLoaded() && isCalledFrom(standIn, UNDICI) && !isResolve(callback)
}
