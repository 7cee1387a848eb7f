/**
 * Puts the gate before the dispatcher of the built-in `fetch`. undici is loaded by Node at the first `fetch`, so the gate is put in place then: a
 * program that never fetches does not pay for it.
 */
import { fetchDispatcherSymbol, realFetch } from '../../real/network.ts'
import { noteNetworkUse } from '../clock/network-use.ts'
import { activeSession, outside } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import { type Dispatcher, gatedDispatcher } from './dispatcher.ts'

type AnyFetch = (input: unknown, init?: object) => unknown

export function fetchPatches(): Patch[] {
  return [
    patchFunction(globalThis, 'fetch', (original) => {
      const plain = original as AnyFetch
      return (input: unknown, init?: object) => {
        if (activeSession() === null) return plain(input, init)
        noteNetworkUse()
        placeGate()
        return plain(input, withGatedDispatcher(init))
      }
    }),
  ]
}

/** The global dispatcher is a plain writable value, so it is set, not redefined; a gate is put before whatever the program has set since. */
function placeGate(): void {
  let symbol = fetchDispatcherSymbol()
  if (symbol === null) {
    // Any fetch loads undici at once; this one has no network in it.
    outside(() => void realFetch('data:,').catch(() => undefined))
    symbol = fetchDispatcherSymbol()
  }
  if (symbol === null) return
  const current: unknown = Reflect.get(globalThis, symbol)
  if (isDispatcher(current)) Reflect.set(globalThis, symbol, gatedDispatcher(current))
}

function withGatedDispatcher(init: object | undefined): object | undefined {
  if (init === undefined || init === null || !('dispatcher' in init) || !isDispatcher(init.dispatcher)) return init
  return { ...init, dispatcher: gatedDispatcher(init.dispatcher) }
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
}
