/** How a connection that is one effect ends, for its client. */
import { errorFromFacts } from '../errors.ts'
import type { Outcome } from '../session.ts'
import type { ClientSocket } from './client-socket.ts'

/** `what` names the connection, for an outcome that it cannot have. */
export function endStream(socket: ClientSocket, outcome: Outcome, what: string): void {
  if (outcome.type === 'end') socket.receiveEnd()
  else if (outcome.type === 'error') socket.destroy(errorFromFacts(outcome.error))
  else throw new Error(`${what} cannot receive ${outcome.type}`)
}
