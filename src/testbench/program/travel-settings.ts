/**
 * What `reprise what-if` and `reprise fork` pass to the process that they start, and what they get back.
 */
import { basename } from 'node:path'
import { fs } from '../../real/fs.ts'
import { realEnv } from '../../real/process.ts'
import { createScrubber } from '../../scrub/index.ts'
import { features } from '../../tape/features.ts'
import type { TapeHeader } from '../../tape/index.ts'
import type { Replaying } from '../compose/open-replaying.ts'
import type { TravelOptions } from '../compose/replay-contract.ts'
import { parseEdits, type RecordEdit } from '../edits/edit.ts'
import { editTape, type TapeEdits } from '../edits/edit-tape.ts'
import type { LiveName } from '../sources/live-set.ts'
import { indexTape, type TapeIndex } from '../tape-index/tape-index.ts'
import { everything } from '../tape-index/tape-selection.ts'
import { type ActionDifference, actionDifferences } from '../verdict/what-differs.ts'

export type TravelSettings = {
  /** The new tape. */
  readonly out: string
  readonly force: boolean
  readonly at: number | null
  readonly misses: 'refuse' | 'nearest' | 'live'
  readonly live: readonly LiveName[]
  /** A file with the edits. */
  readonly edits: string | null
  readonly env: Readonly<Record<string, string>>
  /** The command, if it is not the tape's. */
  readonly command: readonly string[] | null
}

export type TravelReport = {
  readonly parent: string
  readonly tape: string
  /** `tape`: the run never came to the record. */
  readonly stage: 'tape' | 'edited' | 'live'
  /** The edits in words. */
  readonly edits: readonly string[]
  readonly differences: readonly ActionDifference[]
  /** Differences of the runs that are no actions of the agent. */
  readonly others: number
  /** What the program was refused. */
  readonly refused: readonly { readonly asked: string; readonly message: string }[]
  /** Whether a refusal ended the run. */
  readonly ended: boolean
  readonly nearest: readonly { readonly asked: string; readonly seq: number }[]
  /** Secrets of the program that are not in the environment. */
  readonly lacking: readonly string[]
}

export type PreparedTravel = {
  readonly index: TapeIndex
  readonly edits: readonly RecordEdit[]
  readonly tapeEdits: TapeEdits
  readonly options: TravelOptions
}

/** A secret in an edit is replaced before anything is made of it: the program gets the placeholder too. */
export function prepareTravel(tape: string, settings: TravelSettings): PreparedTravel {
  const scrubber = createScrubber({ env: { ...realEnv } })
  const given =
    settings.edits === null ? [] : parseEdits(fs.readFileSync(settings.edits, 'utf8'), 'the edits')
  const edits: readonly RecordEdit[] = scrubber.value(given, 'received')
  const tapeEdits = editTape(tape, edits)
  const index = indexTape(tape, everything, ({ seq }) => tapeEdits.replaced.get(seq) ?? null)
  const { at, misses, live, env } = settings
  return {
    index,
    edits,
    tapeEdits,
    options: {
      plan: {
        at,
        misses,
        live: new Set(live),
        edited: new Set([...tapeEdits.edited, ...tapeEdits.replaced.keys()]),
        delaysMs: tapeEdits.delaysMs,
      },
      env,
    },
  }
}

/** What the header of the new tape says besides what its parent says. */
export function travelHeader(
  tape: string,
  { out: _, at, misses, live }: TravelSettings,
  { index, edits }: PreparedTravel,
): Partial<TapeHeader> {
  const { header, seal, records } = index
  const isLive = at !== null || misses === 'live'
  return {
    parent: { name: basename(tape), chain: seal?.chain ?? null, records },
    features: [...new Set([...(header.features ?? []), features.refusals])],
    ...(edits.length === 0 ? {} : { edits: edits.map(({ seq, edit }) => ({ seq, edit: { ...edit } })) }),
    ...(isLive ? { fork: { at, live: [...live] } } : {}),
  }
}

/** After the session was closed. */
export function travelReport(
  tape: string,
  { out }: TravelSettings,
  { tapeEdits }: PreparedTravel,
  replay: Pick<Replaying, 'travelled' | 'compared'>,
  ended: boolean,
): TravelReport | null {
  const events = replay.travelled?.() ?? null
  if (events === null) return null
  const { stage, refused, nearest, lacking } = events
  return {
    parent: tape,
    tape: out,
    stage,
    edits: tapeEdits.words,
    ...actionDifferences(replay.compared(), tapeEdits.edited, ended),
    refused: refused.map(({ actual, message }) => ({ asked: actual ?? '', message })),
    ended,
    nearest,
    lacking,
  }
}
