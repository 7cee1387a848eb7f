/** What a session writes besides effects and reads: notes and gaps, each once per reason, and divergences. */
import { type Json, type Label, label } from '../../base/index.ts'
import type { Session } from '../../boundaries/session.ts'
import { type Divergence, valueText } from '../../fidelity/divergence.ts'
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { Refusal } from '../tape-index/recorded-refusals.ts'

export type RemarkOptions = {
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  /** Whether remarks about this boundary belong to this run: a replay has those of its tape. */
  readonly isWritten: (boundary: Label) => boolean
  /** A boundary that was crossed unrecorded. */
  readonly unknown: Set<string>
}

export function sessionRemarks(options: RemarkOptions): Pick<Session, 'note' | 'gap'> {
  const { recorder, scrubber, isWritten, unknown } = options
  const known = new Set<string>()
  return {
    note(boundary, reason) {
      if (!isWritten(boundary) || known.has(`note ${boundary} ${reason}`)) return
      known.add(`note ${boundary} ${reason}`)
      recorder.record({ kind: 'note', boundary, reason: scrubber.text(reason, 'sent') })
    },
    gap(boundary, reason) {
      if (!isWritten(boundary) || known.has(`${boundary} ${reason}`)) return
      known.add(`${boundary} ${reason}`)
      unknown.add(boundary)
      recorder.record({ kind: 'gap', boundary, reason: scrubber.text(reason, 'sent') })
    },
  }
}

export function writeDivergence(
  recorder: TapeRecorder,
  scrubber: Scrubber,
  divergence: Divergence,
  refused: { readonly of?: number; readonly refused?: ScrubbedText; readonly ends?: Label } = {},
): void {
  const { seq, category, message, expected, actual, path } = divergence
  const text = (value: Json) => {
    const shown = valueText(value)
    return shown === null ? null : scrubber.text(shown, 'sent')
  }
  recorder.record({
    kind: 'divergence',
    category: label(category),
    message: scrubber.text(message, 'sent'),
    expected: text(expected),
    actual: text(actual),
    path: text(path),
    at: seq,
    ...refused,
  })
}

/** A refusal that is part of the run, as the tape has it. */
export function repeatRefusal(recorder: TapeRecorder, { kind, scrubbed }: Refusal): void {
  recorder.record(fromDisk<Refusal['kind']>(kind), scrubbed)
}
