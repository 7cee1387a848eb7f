/** The children of each session by the pid that the program knows them by, so that `process.kill` finds them. */
import type { Session } from '../session.ts'

export type SignalTaker = {
  /** Zero, or the error number. `group` means: to all of its group. */
  kill(signal: number, group?: boolean): number
}

const children = new WeakMap<Session, Map<number, SignalTaker>>()

export function rememberChild(session: Session, pid: number, child: SignalTaker): void {
  const known = children.get(session) ?? new Map<number, SignalTaker>()
  children.set(session, known.set(pid, child))
}

export function childOf(session: Session, pid: number): SignalTaker | null {
  return children.get(session)?.get(pid) ?? null
}

export function forgetChild(session: Session, pid: number): void {
  children.get(session)?.delete(pid)
}
