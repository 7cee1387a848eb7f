/**
 * Opens the file of a second recording: the header of the tape that is replayed, and the records that this
 * run makes.
 */
import type { Scrubber } from '../../scrub/index.ts'
import { TapeWriter } from '../../tape/index.ts'
import { scrubHeader } from '../../tape/scrubbed-header.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'

/** `force` replaces a tape that is there. */
export function openSecondTape(out: string, index: TapeIndex, scrubber: Scrubber, force = false): TapeWriter {
  return TapeWriter.open(out, scrubHeader(index.header, scrubber), { force })
}
