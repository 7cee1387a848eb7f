/**
 * Which bytes on a connection are a login: what a program sends after it has made something out of a secret, in
 * answer to what came over that connection. The async context of what came shows which connection that is.
 *
 * Bytes that contain the value itself, in hex or base64, are no login in this sense: the value is replaced in
 * them, and the rest is compared.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Session } from './session.ts'
import { sessionField } from './session-field.ts'

/** Values that were made out of secrets and not sent yet, of one connection. */
export type LoginState = { readonly values: Uint8Array[] }

const current = new AsyncLocalStorage<LoginState>()
/** Of a session, for programs whose continuation has lost the context of the connection. */
const ofSession = sessionField((): LoginState => ({ values: [] }))

/** This was made out of a secret: what is sent next is a login. */
export function noteLogin(session: Session, value: Uint8Array): void {
  // A program that checks what the server has sent does not answer it.
  if (session.derived?.isReceived(value) === true) return
  const { values } = current.getStore() ?? ofSession.get(session)
  values.push(value)
}

/** Whether what is sent over this connection now is a login. */
export function takeLogin(session: Session, own: LoginState, bytes: Uint8Array): boolean {
  const values = [...own.values.splice(0), ...ofSession.get(session).values.splice(0)]
  return values.length > 0 && !values.some((value) => session.derived?.isIn(bytes, value) === true)
}

/** Runs what the program does with bytes that came over a connection. */
export function inAnswerTo(state: LoginState, body: () => void): void {
  current.run(state, body)
}
