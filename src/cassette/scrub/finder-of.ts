/**
 * The run's scrubber as the terminal scrubber needs it: spans instead of replaced text, since a mask must
 * keep its columns.
 */
import type { Scrubber, Side } from '../../scrub/index.ts'
import type { SecretFinder } from './secret-finder.ts'

export function finderOf(scrubber: Scrubber, side: Side): SecretFinder {
  return {
    find: (text, final) => scrubber.find(text, side, final),
    mayHold: (bytes) => scrubber.mayHold(bytes, side),
    note: (kind, secret, place) => scrubber.note(kind, secret, place),
  }
}
