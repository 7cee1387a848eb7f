/** How far the run is on the tape of another system: which record was used last, and what time it is. */

import type { ReplayCategory } from '../../../fidelity/categories.ts'
import { type Divergence, divergenceError } from '../../../fidelity/divergence.ts'
import { unmatched } from '../../../fidelity/sentences.ts'
import type { Kernel } from '../../session/source.ts'
import type { Patience } from '../patience.ts'
import { type ForeignRecord, type ForeignRecords, recordText } from './foreign-records.ts'

export type Progress = {
  /** The time of the run, in milliseconds. */
  now(source: 'wall' | 'monotonic'): number
  take(record: ForeignRecord): void
  /** The record has its turn: the clock of the run is where it was. */
  passTo(record: ForeignRecord): void
  miss(actual: string, category?: ReplayCategory): Divergence
  refuse(divergence: Divergence): never
}

type ProgressOptions = {
  readonly records: ForeignRecords
  readonly patience: Patience
  /** Where the clock of the run starts. */
  readonly startedAtMs: number
}

export function createProgress(
  { tools }: Kernel,
  { records, patience, startedAtMs }: ProgressOptions,
): Progress {
  let lastMatch: { readonly seq: number; readonly key: string } | null = null
  let time = { wallMs: startedAtMs, monotonicMs: 0 }

  return {
    now: (source) => (source === 'wall' ? time.wallMs : time.monotonicMs),
    take(record) {
      records.take(record)
      patience.reset()
      lastMatch = { seq: record.seq, key: recordText(record) }
    },
    passTo(record) {
      time = { wallMs: record.virtualTimeMs, monotonicMs: record.monotonicMs }
    },
    miss(actual, category) {
      const first = records.first()
      const expected = first === null ? null : recordText(first)
      return unmatched({ seq: first?.seq ?? null, expected, actual, lastMatch, closest: null }, category)
    },
    refuse(divergence) {
      throw divergenceError(tools.diverge(divergence))
    },
  }
}
