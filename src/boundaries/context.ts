/**
 * Whose call is it? The session of the async context that is running, or of the whole process, or none.
 *
 * Reprise's own work (and the real world's, which it starts) runs `outside`: patched functions then do what the originals do, so nothing that the
 * recorder causes is recorded.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session } from './session.ts'

type Context = { readonly session: Session | null }

const storage = new AsyncLocalStorage<Context>()
const OUTSIDE: Context = { session: null }
let ofProcess: Session | null = null

/** The session that the running code belongs to; null means: behave as if nothing were patched. */
export function activeSession(): Session | null {
  const context = storage.getStore()
  return context === undefined ? ofProcess : context.session
}

/** Runs `body` so that nothing in it, nor in what it starts, is seen as the program's. */
export function outside<T>(body: () => T): T {
  return storage.run(OUTSIDE, body)
}

export function runInSession<T>(session: Session, body: () => T): T {
  return storage.run({ session }, body)
}

/** Makes `session` the one of all code that has no other: the whole program under `reprise record`. */
export function sessionOfProcess(session: Session): Disposable {
  if (ofProcess !== null) throw new Error('this process has a session already')
  ofProcess = session
  return {
    [Symbol.dispose]() {
      ofProcess = null
    },
  }
}
