/**
 * Installs the gate before the dispatcher of the built-in `fetch`. Node loads undici at the first `fetch`, so
 * the gate is installed then: a program that never fetches does not pay for it.
 *
 * Only Node's own dispatcher is gated here. A dispatcher of npm's undici, global or passed to `fetch`, may
 * also serve other calls of that copy, whose exchanges are recorded at their connections. So it is not gated,
 * and no exchange is recorded twice.
 *
 * Decision 0081.
 */
import { allDispatcherSymbols, loadUndici } from '../../real/network.ts'
import { withOwnClock } from '../../real/undici-clock.ts'
import { callersOf, UNDICI, withPlainStacks } from '../caller.ts'
import { activeSession, outside } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { behindGate, type Dispatcher, gatedDispatcher, isGated } from './dispatcher.ts'

type AnyFetch = (input: unknown, init?: object) => unknown

export function fetchPatches(): Patch[] {
  const patch = patchFunction(globalThis, 'fetch', (original) => {
    const plain = original as AnyFetch
    return (input: unknown, init?: object) => {
      const session = activeSession('network')
      if (session === null) return plain(input, init)
      const refused = session.refusal?.('fetch') ?? null
      if (refused !== null) return Promise.reject(refused)
      placeGate(session)
      return plain(input, init)
    }
  })
  return [{ ...patch, removed: takeGateAway }]
}

/** Puts the original dispatcher back wherever ours is still installed. */
function takeGateAway(): void {
  for (const symbol of allDispatcherSymbols()) {
    const current: unknown = Reflect.get(globalThis, symbol)
    const behind = isDispatcher(current) ? behindGate(current) : null
    if (behind !== null) Reflect.set(globalThis, symbol, behind)
  }
}

/** Dispatchers whose own connections are captured: their exchanges are recorded there. */
const taken = new WeakSet<object>()
/** The same in a session of an older tape. */
const takenBefore = sessionField(() => new WeakSet<object>())

/** Undici calls `connect` of `node:net` or `node:tls` at most this many frames above. */
const CONNECT_FRAMES = 16

/**
 * Called when a connection of the session is opened: a dispatcher without a gate may open it. A connection of
 * another client counts for older tapes only. Undici may be loaded since an earlier session, and then the form of
 * an exchange would depend on what ran before.
 */
export function keepDispatchers(session: Session): void {
  for (const symbol of allDispatcherSymbols()) {
    const current: unknown = Reflect.get(globalThis, symbol)
    if (!isDispatcher(current) || isGated(current) || taken.has(current)) continue
    if (session.keepsDispatchers === true) takenBefore.get(session).add(current)
    else if (isOpenedByUndici()) taken.add(current)
  }
}

function isOpenedByUndici(): boolean {
  return callersOf(isOpenedByUndici, CONNECT_FRAMES).some((file) => file.startsWith(UNDICI))
}

/**
 * The global dispatcher is a plain writable value, so it is set, not redefined; the gate wraps whatever the
 * program has set since.
 */
function placeGate(session: Session): void {
  const placed = allDispatcherSymbols()
  if (placed.length === 0) outside(() => withOwnClock(loadUndici))
  for (const symbol of placed.length === 0 ? allDispatcherSymbols() : placed) {
    const current: unknown = Reflect.get(globalThis, symbol)
    if (!isDispatcher(current) || isGated(current) || takenBefore.get(session).has(current)) continue
    if (!taken.has(current) && isBuiltIn(current)) Reflect.set(globalThis, symbol, gatedDispatcher(current))
  }
}

const BUILT_IN_NAMES = new Set(['Agent', 'EnvHttpProxyAgent', 'Dispatcher1Wrapper'])

/**
 * Whether it belongs to Node's own copy of undici: an empty request fails with its own error, whose stack
 * shows its file.
 */
export function isBuiltIn(dispatcher: Dispatcher): boolean {
  if (!BUILT_IN_NAMES.has(dispatcher.constructor.name)) return false
  if (withPlainStacks(1, () => stackOfEmptyRequest(dispatcher)).includes(UNDICI)) return true
  taken.add(dispatcher)
  return false
}

function stackOfEmptyRequest(dispatcher: Dispatcher): string {
  try {
    outside(() => Reflect.apply(dispatcher.dispatch, dispatcher, [{}, null]))
  } catch (error) {
    return firstFrame(error)
  }
  return ''
}

function firstFrame(error: unknown): string {
  try {
    const stack: unknown = error instanceof Error ? error.stack : undefined
    return typeof stack === 'string' ? (/^ {4}at .*/m.exec(stack)?.[0] ?? '') : ''
  } catch {
    // The program has frozen `Error`, and its own function that formats stacks throws.
    return ''
  }
}

export function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  )
}
