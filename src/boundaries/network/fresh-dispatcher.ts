/**
 * Gives a session of the library a new dispatcher of Node's own undici. The process may have called `fetch`
 * before: a `WebSocket` of the session would use one of those connections, which the session does not see, and
 * what the session records would depend on what ran before it.
 *
 * A dispatcher of npm's undici, or of the program, is left alone.
 *
 * Decision 0501.
 */
import { allDispatcherSymbols } from '../../real/network.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { behindGate, type Dispatcher } from './dispatcher.ts'
import { isBuiltIn, isDispatcher } from './fetch.ts'

type Replaced = { readonly symbol: symbol; readonly before: Dispatcher; readonly fresh: Dispatcher }

const replaced = sessionField((): Replaced[] => [])

export function useFreshDispatchers(session: Session): void {
  if (session.sharesDispatchers === true) return
  const made = new Map<Dispatcher, Dispatcher>()
  for (const symbol of allDispatcherSymbols()) {
    const before: unknown = Reflect.get(globalThis, symbol)
    if (!isDispatcher(before)) continue
    const real = behindGate(before) ?? before
    if (real.constructor.name !== 'Agent' || !isBuiltIn(real)) continue
    const fresh = made.get(real) ?? (Reflect.construct(real.constructor, []) as Dispatcher)
    made.set(real, fresh)
    Reflect.set(globalThis, symbol, fresh)
    replaced.get(session).push({ symbol, before, fresh })
  }
}

/** The session has ended. What the program has set since stays. */
export function putDispatchersBack(session: Session): void {
  for (const { symbol, before, fresh } of replaced.get(session).splice(0)) {
    const current: unknown = Reflect.get(globalThis, symbol)
    if (isDispatcher(current) && (behindGate(current) ?? current) === fresh)
      Reflect.set(globalThis, symbol, before)
  }
}
