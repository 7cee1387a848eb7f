/**
 * Plain cookies (`theme=dark`) that a recorded server has issued: its answers have them as they are, and so have the
 * requests that bring them back.
 */
import type { Scrubber } from '../scrub/index.ts'
import type { RecordKind } from './kinds.ts'

/** `scrubber` leaves the plain cookies of an answer in requests. `first` may count what it finds. */
export function issuePlainCookies(kind: RecordKind, first: Scrubber, scrubber: Scrubber): void {
  if (kind.kind !== 'server_answer') return
  for (const [name, value] of kind.headers) {
    if (name.toLowerCase() !== 'set-cookie') continue
    const before = first.hits
    first.header(name, value, 'sent')
    if (first.hits === before) scrubber.issue(() => scrubber.header(name, value, 'sent'))
  }
}
