/** What a session needs to leave its tape on purpose: the edited index, the plan, the header of its tape. */
import { basename } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber } from '../../scrub/index.ts'
import { features } from '../../tape/features.ts'
import { isForeignRecord } from '../../tape/foreign.ts'
import { readTapeEvents, type TapeHeader } from '../../tape/index.ts'
import type { RecordEdit } from '../edits/edit.ts'
import { editTape, type TapeEdits } from '../edits/edit-tape.ts'
import type { FilesInto } from '../files/left-tape-files.ts'
import type { LiveName } from '../sources/live-set.ts'
import { indexTape, type TapeIndex } from '../tape-index/tape-index.ts'
import { everything } from '../tape-index/tape-selection.ts'
import type { TravelOptions } from './replay-contract.ts'

export type TravelWishes = {
  /** The run is live after this record; null for a what-if. */
  readonly at: number | null
  readonly misses: 'refuse' | 'nearest' | 'live'
  readonly live: readonly LiveName[]
  readonly env: Readonly<Record<string, string>>
  /** Models that live calls are sent to, by those that the program names. */
  readonly models: Readonly<Record<string, string>>
  /** Where files go once the run is live. */
  readonly files: FilesInto
}

export type PreparedTravel = {
  readonly index: TapeIndex
  readonly edits: readonly RecordEdit[]
  readonly tapeEdits: TapeEdits
  readonly options: TravelOptions
}

/** Throws a usage error if the tape ends before this record, or is of another system. */
export function requireRecord(tape: string, at: number): void {
  let last = -1
  let isForeign = true
  for (const event of readTapeEvents(tape)) {
    if (event.type === 'header') isForeign = event.header.producer === undefined
    if (event.type !== 'record') continue
    isForeign &&= isForeignRecord(event.record)
    last = event.record.seq
  }
  if (isForeign)
    throw new RepriseError('usage', 'a tape of another system cannot be forked', {
      hint: 'reprise replay <tape> -- node agent.mjs replays it',
    })
  if (at > last)
    throw new RepriseError('usage', `the tape has no record ${at}; its last is ${last}`, {
      hint: `reprise inspect ${tape} shows the numbers`,
    })
}

/** A secret in an edit is replaced before the edit is used: the program gets the placeholder too. */
export function prepareTravel(
  tape: string,
  given: readonly RecordEdit[],
  { at, misses, live, env, models, files }: TravelWishes,
): PreparedTravel {
  const scrubber = createScrubber({ env: { ...realEnv } })
  const edits: readonly RecordEdit[] = scrubber.value(given, 'received')
  const tapeEdits = editTape(tape, edits)
  const index = indexTape(tape, everything, ({ seq }) => tapeEdits.replaced.get(seq) ?? null)
  const edited = new Set([...tapeEdits.edited, ...tapeEdits.replaced.keys()])
  const plan = { at, misses, live: new Set(live), edited, delaysMs: tapeEdits.delaysMs }
  return { index, edits, tapeEdits, options: { plan, env, models, files } }
}

/** What the header of the new tape has in addition to its parent's. */
export function travelHeader(
  tape: string,
  { at, misses, live, models }: TravelWishes,
  { index, edits }: PreparedTravel,
): Partial<TapeHeader> {
  const { header, seal, records } = index
  const isLive = at !== null || misses === 'live'
  const hasModels = Object.keys(models).length > 0
  return {
    parent: { name: basename(tape), chain: seal?.chain ?? null, records },
    features: [...new Set([...(header.features ?? []), features.refusals])],
    ...(edits.length === 0 ? {} : { edits: edits.map(({ seq, edit }) => ({ seq, edit: { ...edit } })) }),
    ...(isLive ? { fork: { at, live: [...live], ...(hasModels ? { models } : {}) } } : {}),
  }
}
