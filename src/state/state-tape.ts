/**
 * Where a handle tells what it read and wrote. Without an active tape it tells nobody, and the scrubber and its rules are not even loaded.
 */
import { activeRecorder } from '../tape/active-recorder.ts'
import type { StateRecords } from './contract.ts'

/** Runs `tell` with the records of the active tape, if there is one. */
export type StateTape = (tell: (records: StateRecords) => void) => Promise<void>

export function createStateTape(): StateTape {
  let records: StateRecords | null = null
  return async (tell) => {
    if (activeRecorder() === null) return
    records ??= (await import('./state-records.ts')).createStateRecords()
    tell(records)
  }
}
