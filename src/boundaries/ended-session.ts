/**
 * Whether a session has ended. Its code may still run: a timer of Node's own, a promise that the program does
 * not await.
 */
import type { Session } from './session.ts'
import { sessionField } from './session-field.ts'

const ended = sessionField(() => false)

export function markEnded(session: Session): void {
  ended.set(session, true)
}

export function hasEnded(session: Session): boolean {
  return ended.get(session)
}
