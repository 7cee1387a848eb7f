/**
 * One look over output.raw as it stands on the disk, block by block: its digest, and whether a closer look is needed. Most output holds nothing that
 * could be a secret and no sequence that could hide one; then this is all there is to do.
 */
import { createSha256, type Sha256Hex } from '../../real/sha256.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { FILES } from '../files/names.ts'
import type { PartialFolder } from '../files/write-folder.ts'

const BLOCK = 1024 * 1024
/** More than any rule needs to begin: what lies across two blocks is seen in the second. */
const OVERLAP = 64 * 1024

/** The digest of bytes without any sequence, in which no rule finds even a beginning; null where there may be something to find. */
export function digestIfPlain(folder: PartialFolder, scrubber: Scrubber): Sha256Hex | null {
  const hash = createSha256()
  for (const { seen, fresh } of folder.blocks(FILES.raw, BLOCK, OVERLAP)) {
    if (seen.includes(0x1b) || seen.includes(0xc2) || scrubber.mayHold(seen, 'received')) return null
    hash.update(fresh)
  }
  return hash.digest()
}
