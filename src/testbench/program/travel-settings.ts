/**
 * What `reprise what-if` and `reprise fork` pass to the process that they start, and what they get back.
 */
import { valueText } from '../../fidelity/divergence.ts'
import { fs } from '../../real/fs.ts'
import type { Replaying } from '../compose/open-replaying.ts'
import { type PreparedTravel, prepareTravel, type TravelWishes } from '../compose/prepare-travel.ts'
import { parseEdits } from '../edits/edit.ts'
import { type ActionDifference, actionDifferences } from '../verdict/what-differs.ts'

export type TravelSettings = TravelWishes & {
  /** The new tape. */
  readonly out: string
  readonly force: boolean
  /** A file with the edits. */
  readonly edits: string | null
  /** The command, if it is not the tape's. */
  readonly command: readonly string[] | null
}

/** With the edits of the file. */
export function prepareFromSettings(tape: string, settings: TravelSettings): PreparedTravel {
  const { edits } = settings
  const given = edits === null ? [] : parseEdits(fs.readFileSync(edits, 'utf8'), 'the edits')
  return prepareTravel(tape, given, settings)
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
    refused: refused.map(({ actual, message }) => ({ asked: valueText(actual) ?? '', message })),
    ended,
    nearest,
    lacking,
  }
}
