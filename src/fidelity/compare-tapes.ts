/** Compares two tapes on disk, both streamed. */
import { prepareBlake3 } from '../base/index.ts'
import { type CompareOptions, compare } from './compare.ts'
import type { FidelityMode } from './modes.ts'
import type { FidelityReport } from './report.ts'
import { tapeFile } from './source.ts'

export async function compareTapes(recordedPath: string, replayPath: string, mode?: FidelityMode, options?: CompareOptions): Promise<FidelityReport> {
  // Payloads are checked against their hashes when they are looked into.
  await prepareBlake3()
  return compare(tapeFile(recordedPath), tapeFile(replayPath), mode, options)
}
