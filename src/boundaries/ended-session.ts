/**
 * Whether a session has ended. Code that belongs to it may still run: a timer of Node's own, a promise that
 * nobody waits for.
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
