/**
 * Separates the pools of `http.Agent`. A connection belongs to the session in which it was opened: a request
 * of another session, or of none, must not get it, and a request of a session must not get an older
 * connection.
 *
 * The pool's name is made from the request's options, which the agent passes on: the agent may compute the
 * name in any context. A session of the whole process is the only one, and does not change the names.
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
