/**
 * Leaves out the clock reads of Node's bundled undici. They are no reads of the program's, and when they
 * happen is up to the garbage collector.
 *
 * The stack is read only in a session that has used the network: before that there is no undici to tell
 * apart. Most of its reads do not come here: where the first request loads it, it is given a clock of its own
 * (real/undici-clock.ts).
 */
import { isCalledFrom } from '../caller.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'

const UNDICI = 'node:internal/deps/undici'

let anyone = false
const networked = new WeakSet<Session>()

/** Said by the network boundary when the program makes its first request. */
export function noteNetworkUse(): void {
  const session = activeSession('clock')
  if (session === null) return
  anyone = true
  networked.add(session)
}

/** Whether the direct caller of `reader`, a patched function that is running, is undici. */
export function isReadByUndici(session: Session, reader: AnyFunction): boolean {
  if (!anyone || !networked.has(session)) return false
  return isCalledFrom(reader, UNDICI)
}
