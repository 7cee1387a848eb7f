/**
 * Records what a handle read and wrote. Without an active tape it does nothing, and the scrubber and
 * its rules are not even loaded.
 */
import { activeRecorder } from '../tape/active-recorder.ts'
import type { StateRecords } from './contract.ts'

/** Runs `write` with the records of the active tape, if there is one. */
export type StateTape = (write: (records: StateRecords) => void) => Promise<void>

export function createStateTape(): StateTape {
  let records: StateRecords | null = null
  return async (write) => {
    if (activeRecorder() === null) return
    records ??= (await import('./state-records.ts')).createStateRecords()
    write(records)
  }
}
