/**
 * Starts an effect that only carries others: a connection, its idle limit. A replay whose program starts one
 * more of them than the tape has continues without it, so that the request itself diverges, with its closest
 * candidates.
 */
import type { Label } from '../../base/index.ts'
import type { Effect, Outcome, Session } from '../session.ts'

export function startSupporting(
  session: Session,
  boundary: Label,
  key: string,
  receive: (outcome: Outcome) => void,
  ref: boolean,
): Effect | null {
  try {
    return session.start(boundary, key, receive, { ref, supporting: true })
  } catch (error) {
    if (session.isLive(boundary)) throw error
    return null
  }
}
