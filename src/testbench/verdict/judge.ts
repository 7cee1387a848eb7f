/**
 * The one judge of a replay. It compares the recorded tape with the second recording, in the mode of the
 * replay, while that is made. Verdict, exit code, text and JSON come from that comparison.
 *
 * A faithful run makes exactly the lines of the recorded tape: as long as it does, lines are compared and
 * nothing is held. At the first differing line the comparison by alignment begins, and the tape is read a
 * second time for it.
 *
 * Decision 0314.
 */
import { compareLive, type LiveComparison } from '../../fidelity/compare-live.ts'
import { type FidelityReport, type TapeSource, tapeFile } from '../../fidelity/index.ts'
import { toleratedUnmatched } from '../../fidelity/replay-policy.ts'
import type { RunEnd } from '../../fidelity/source.ts'
import { encodeRecord, type TapeRecord } from '../../tape/record.ts'
import { SameClockReads } from '../../tape/same-clock-reads.ts'
import { isSameRecord } from '../../tape/same-record.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import type { RecordedLines, RecordLine } from '../sources/record-stream.ts'
import type { SecondRecordingWatcher } from '../sources/second-recording.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import type { TapeSelection } from '../tape-index/tape-selection.ts'
import { RecentPayloads } from './recent-payloads.ts'
import { type ReplayFacts, type ReplayMode, type ReplayReport, verdictOf } from './verdict.ts'
import { withDamage } from './whole-tape.ts'

export type JudgeOptions = {
  readonly tape: string
  readonly index: TapeIndex
  readonly mode: ReplayMode
  /** Names of request headers that count. */
  readonly headers?: readonly string[]
  /** The file of the second recording, if it is written. */
  readonly emitted?: string | undefined
  /** The running frame of the program; null if there is none. */
  readonly userFrame?: () => string | null
}

export type Judge = {
  readonly watcher: SecondRecordingWatcher
  /** Called once, at the end of the run. Throws the error that prevented the comparison. */
  report(facts: ReplayFacts, end: RunEnd): ReplayReport
  /** The comparison behind the report; null if both tapes have the same lines. */
  compared(): FidelityReport | null
}

/** Taking a frame costs microseconds. */
const MAX_FRAMES = 1000

export function createJudge({ tape, index, mode, headers = [], emitted, userFrame }: JudgeOptions): Judge {
  const recent = new RecentPayloads()
  /** For clock reads after the first difference, by record. */
  const frames = new Map<number, string | null>()
  const clockReads = new SameClockReads()
  let lines: RecordedLines | null = null
  /** Records that are the same, line for line. */
  let same = 0
  let comparison: LiveComparison | null = null
  let failure: unknown = null
  let compared: FidelityReport | null = null

  const begin = (): LiveComparison => {
    lines?.release(Number.POSITIVE_INFINITY)
    lines = null
    const recorded = index.isPart ? selected(tapeFile(tape), index.selection) : tapeFile(tape)
    const resolve = emitted === undefined ? recent.resolver(tapePayloads(tape)) : tapePayloads(emitted)
    return compareLive(recorded, { header: index.header, same, resolve }, mode, {
      toleratedUnmatched: toleratedUnmatched(mode),
      frameOf: (seq) => frames.get(seq) ?? null,
    })
  }

  /** Without encoding the record: that takes longer than everything else here. */
  const hasSameLine = (recorded: RecordLine, record: TapeRecord, written: string | null): boolean =>
    record.kind.kind === 'clock_read'
      ? clockReads.isSame(recorded, record)
      : written === null && isSameRecord(recorded.record, record)

  return {
    watcher: {
      put: recent.put,
      spill: recent.spill,
      begin(recorded) {
        if (!index.isPart) lines = recorded
        else recorded.release(Number.POSITIVE_INFINITY)
      },
      record(record, written) {
        const recorded = lines?.at(same) ?? null
        if (lines !== null && recorded !== null && hasSameLine(recorded, record, written)) {
          same += 1
          lines.release(same)
          return
        }
        const line = written ?? encodeRecord(record)
        if (lines !== null && recorded?.text === line) {
          clockReads.remember(recorded, record)
          same += 1
          lines.release(same)
          return
        }
        if (failure !== null) return
        if (record.kind.kind === 'clock_read' && userFrame !== undefined && frames.size < MAX_FRAMES)
          frames.set(record.seq, userFrame())
        try {
          comparison ??= begin()
          comparison.add(record, line)
        } catch (error) {
          // The program does not get it: the report does.
          failure = error
        }
      },
    },
    report(facts, end) {
      if (failure !== null) throw failure
      const isSame =
        comparison === null && lines?.at(same) === null && !index.torn && sameEnds(index.seal, end)
      compared = isSame ? null : (comparison ?? begin()).end(end)
      return withDamage(verdictOf(facts, compared, headers), index.findings)
    },
    compared: () => compared,
  }
}

function selected(source: TapeSource, selection: TapeSelection): TapeSource {
  function* events() {
    const isSelected = selection()
    for (const event of source.events) {
      // The end of the process does not count for a part of it.
      if (event.type === 'record' && (event.record.kind.kind === 'tape_seal' || !isSelected(event.record)))
        continue
      yield event
    }
  }
  return { name: source.name, events: events(), resolve: (payload) => source.resolve(payload) }
}

/** Fields that only one seal contains are not a difference of the runs. */
function sameEnds(recorded: RunEnd | null, replayed: RunEnd): boolean {
  if (recorded === null) return false
  return (['exit', 'stdout', 'stderr'] as const).every((name) => {
    const [then, now] = [recorded[name], replayed[name]]
    return then === null || now === null || JSON.stringify(then) === JSON.stringify(now)
  })
}
