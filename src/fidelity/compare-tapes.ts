/** Compares two tapes on disk, both streamed. */
import { type CompareOptions, compare } from './compare.ts'
import type { FidelityMode } from './modes.ts'
import type { FidelityReport } from './report.ts'
import { tapeFile } from './source.ts'

export async function compareTapes(
  recordedPath: string,
  replayPath: string,
  mode?: FidelityMode,
  options?: CompareOptions,
): Promise<FidelityReport> {
  return compare(tapeFile(recordedPath), tapeFile(replayPath), mode, options)
}
