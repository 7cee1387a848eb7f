/** The divergence of a program that asks, in a replay, for what cannot be recorded. */
import { label } from '../../base/index.ts'
import type { Session } from '../session.ts'

/** Thrown by the session, and kept. */
export function refusal(session: Session, what: string): Error {
  try {
    session.start(label('network'), what, () => undefined)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
  return new Error(`${what}: this cannot be replayed`)
}
