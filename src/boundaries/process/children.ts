/**
 * The children of each session by the pid that the program has, so that `process.kill` finds them.
 */
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

export type SignalTaker = {
  /** Zero, or the error number. `group`: send it to the whole group. */
  kill(signal: number, group?: boolean): number
}

const children = sessionField(() => new Map<number, SignalTaker>())

export function rememberChild(session: Session, pid: number, child: SignalTaker): void {
  children.get(session).set(pid, child)
}

export function childOf(session: Session, pid: number): SignalTaker | null {
  return children.get(session).get(pid) ?? null
}

export function forgetChild(session: Session, pid: number): void {
  children.get(session).delete(pid)
}
