/**
 * Detects which bytes on a connection are a login: bytes that a program sends after it has computed something
 * from a secret, in reply to data from that connection, or when it opens. The turn of that data identifies the
 * connection, or its async context in a session that does not own the process.
 *
 * Bytes that contain the value itself, in hex or base64, are no login in this sense: the value is replaced in
 * them, and the rest is compared.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { marksOwnWork } from './context.ts'
import { type LoginState, setTurnCause, turnCause } from './gate.ts'
import type { Session } from './session.ts'
import { sessionField } from './session-field.ts'

const current = new AsyncLocalStorage<LoginState>()
/** The same for a session, for programs whose continuation has lost the context of the connection. */
const ofSession = sessionField((): LoginState => ({ values: [] }))

/** This value was computed from a secret: the next bytes sent are a login. */
export function noteLogin(session: Session, value: Uint8Array): void {
  // A program that only verifies what the server has sent does not reply to it.
  if (session.derived?.isReceived(value) === true) return
  const own = marksOwnWork() ? turnCause() : current.getStore()
  const { values } = own ?? ofSession.get(session)
  values.push(value)
}

/** Whether the bytes sent over this connection now are a login. */
export function takeLogin(session: Session, own: LoginState, bytes: Uint8Array): boolean {
  const shared = ofSession.get(session)
  if (own.values.length === 0 && shared.values.length === 0) return false
  const values = [...own.values.splice(0), ...shared.values.splice(0)]
  return !values.some((value) => session.derived?.isIn(bytes, value) === true)
}

/** Runs the program's handling of bytes from a connection, or of its opening. */
export function inAnswerTo(state: LoginState, body: () => void): void {
  if (marksOwnWork()) {
    setTurnCause(state)
    body()
  } else current.run(state, body)
}
