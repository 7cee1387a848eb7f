/**
 * Keeps the pools of `http.Agent` apart. A connection belongs to the session in which it was opened: a
 * request of another session, or of none, must not be given it, and one of a session must not get a
 * connection that was opened before.
 *
 * The pool's name follows from the request's options, which the agent hands on: when it asks for the name it
 * may be in any context. A session of the whole process is the only one, and leaves the names as they
 * are.
 */
import { socketOwners } from '../../real/sockets.ts'
import { activeSession } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

const POOL = Symbol('reprise.pool')
const pools = sessionField<number | undefined>(() => undefined)
let count = 0

/** From now on connections of `session` serve only `session`. */
export function separatePool(session: Session): void {
  count += 1
  pools.set(session, count)
}

export function poolPatches(): Patch[] {
  const { agentPrototype } = socketOwners
  return [
    patchFunction(agentPrototype, 'addRequest', (original) => {
      return function (this: unknown, request: unknown, options: unknown, ...rest: unknown[]): unknown {
        const session = activeSession('network')
        const pool = session === null ? undefined : pools.get(session)
        const marked =
          pool === undefined || typeof options !== 'object' ? options : { ...options, [POOL]: pool }
        return Reflect.apply(original, this, [request, marked, ...rest])
      }
    }),
    patchFunction(agentPrototype, 'getName', (original) => {
      return function (this: unknown, ...args: unknown[]): unknown {
        const name: unknown = Reflect.apply(original, this, args)
        const [options] = args
        const pool: unknown =
          typeof options === 'object' && options !== null ? Reflect.get(options, POOL) : undefined
        return pool === undefined ? name : `${String(name)}:reprise-${String(pool)}`
      }
    }),
  ]
}
