/**
 * The second pass over output.raw, as stored on disk: its digest, and whether a closer look is needed.
 * Most output holds nothing that could be a secret and no sequence that could hide one; then this is all
 * there is to do. It follows the recording, so that little is left at its end.
 */
import { createSha256, type Sha256Hex } from '../../real/sha256.ts'
import type { Scrubber } from '../../scrub/index.ts'

/** More than a rule needs to begin: what lies across two stretches is seen with the second. */
export const OVERLAP = 16

export type LookOver = {
  /** The next stretch of the file, and before it, in `seen`, the last `OVERLAP` bytes of the one before. */
  see(seen: Uint8Array, fresh: Uint8Array): void
  /** Of all that was seen. Once. */
  end(): ScanResult
}

/**
 * `plain` bytes hold no sequence, and no rule finds even a beginning in them, with all the secrets that are
 * known by now.
 */
export type ScanResult = { readonly digest: Sha256Hex; readonly plain: boolean }

export function createOutputScan(scrubber: Scrubber): LookOver {
  const hash = createSha256()
  const known = scrubber.known
  let plain = true
  return {
    see(seen, fresh) {
      hash.update(fresh)
      plain &&= !(seen.includes(0x1b) || seen.includes(0xc2) || scrubber.mayHold(seen, 'received'))
    },
    // A secret that became known on the way was not looked for from the beginning.
    end: () => ({ digest: hash.digest(), plain: plain && scrubber.known === known }),
  }
}
