/**
 * Opens the file of a second recording: the header of the replayed tape, and the records that this run makes.
 */
import type { Scrubber } from '../../scrub/index.ts'
import { type TapeHeader, TapeWriter } from '../../tape/index.ts'
import { scrubHeader } from '../../tape/scrubbed-header.ts'

/** `force` replaces an existing tape. */
export function openSecondTape(
  out: string,
  header: TapeHeader,
  scrubber: Scrubber,
  force = false,
): TapeWriter {
  return TapeWriter.open(out, scrubHeader(header, scrubber), { force })
}
