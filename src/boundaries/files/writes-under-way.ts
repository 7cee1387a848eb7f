/** What the program has handed over to be written, as long as no answer has told it how that went. */
import type { Sent, Session } from '../session.ts'

/** What the program handed over; if it was added to an end, `from` is where it begins. */
export type HandedOver = { readonly bytes: Uint8Array; readonly from?: number }

export type UnfinishedWrite = {
  /** What makes it the same as a recorded one. */
  readonly key: string
  readonly path: string
  /** In a replay. */
  readonly sent: Sent
  /** In a recording; null if it cannot be told. */
  handedOver(): HandedOver | null
}

const underWay = new WeakMap<Session, Set<UnfinishedWrite>>()

/** Calls of this session that write and have not been answered. */
export function writesUnderWay(session: Session): Set<UnfinishedWrite> {
  const known = underWay.get(session) ?? new Set()
  underWay.set(session, known)
  return known
}
