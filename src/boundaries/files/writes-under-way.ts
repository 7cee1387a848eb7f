/**
 * What the program has passed to be written, until the call completes.
 *
 * Decision 0215.
 */
import type { Sent, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'

/** What the program passed; if it was appended, `from` is where it begins. */
export type PassedBytes = { readonly bytes: Uint8Array; readonly from?: number }

export type UnfinishedWrite = {
  /** The key by which it matches a recorded one. */
  readonly key: string
  readonly path: string
  /** In a replay. */
  readonly sent: Sent
  /** In a recording; null if unknown. */
  passedBytes(): PassedBytes | null
}

const underWay = sessionField(() => new Set<UnfinishedWrite>())

/** Calls of this session that write and have not been answered. */
export function writesUnderWay(session: Session): Set<UnfinishedWrite> {
  return underWay.get(session)
}
