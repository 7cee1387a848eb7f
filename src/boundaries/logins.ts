/**
 * Detects which bytes on a connection are a login: bytes that a program sends after it has computed something
 * from a secret, in reply to data from that connection. The async context of that data identifies the
 * connection.
 *
 * Bytes that contain the value itself, in hex or base64, are no login in this sense: the value is replaced in
 * them, and the rest is compared.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session } from './session.ts'
import { sessionField } from './session-field.ts'

/** Values of one connection that were computed from secrets and not sent yet. */
export type LoginState = { readonly values: Uint8Array[] }

const current = new AsyncLocalStorage<LoginState>()
/** The same for a session, for programs whose continuation has lost the context of the connection. */
const ofSession = sessionField((): LoginState => ({ values: [] }))

/** This value was computed from a secret: the next bytes sent are a login. */
export function noteLogin(session: Session, value: Uint8Array): void {
  // A program that only verifies what the server has sent does not reply to it.
  if (session.derived?.isReceived(value) === true) return
  const { values } = current.getStore() ?? ofSession.get(session)
  values.push(value)
}

/** Whether the bytes sent over this connection now are a login. */
export function takeLogin(session: Session, own: LoginState, bytes: Uint8Array): boolean {
  const shared = ofSession.get(session)
  if (own.values.length === 0 && shared.values.length === 0) return false
  const values = [...own.values.splice(0), ...shared.values.splice(0)]
  return !values.some((value) => session.derived?.isIn(bytes, value) === true)
}

/** Runs the program's handling of bytes from a connection. */
export function inAnswerTo(state: LoginState, body: () => void): void {
  current.run(state, body)
}
