/**
 * Recognises a clock read whose line is that of the recorded one, without encoding it: there may be millions.
 *
 * The parser shares one kind between lines that differ in the numbers of their envelope only. So after
 * one of these lines was equal to the encoded record, the others need a comparison of values. For any other
 * record the caller encodes and compares the line.
 */

import { kinds, type RecordKind } from './kinds.ts'
import type { TapeRecord } from './record.ts'

type RecordLine = { readonly record: TapeRecord; readonly text: string }

const FIELDS = Object.keys(kinds.clock_read)

export class SameClockReads {
  #recorded: RecordKind | null = null
  #made: Readonly<Record<string, unknown>> = {}
  /** The line from the kind on. */
  #end = ''

  /** False if the line must be encoded. */
  isSame(recorded: RecordLine, made: TapeRecord): boolean {
    const { record, text } = recorded
    if (record.kind !== this.#recorded || made.kind.kind !== 'clock_read') return false
    if (record.seq !== made.seq || record.phase !== made.phase || record.scrubbed !== made.scrubbed)
      return false
    if (record.virtualTimeMs !== made.virtualTimeMs || record.monotonicMs !== made.monotonicMs) return false
    const fields: Readonly<Record<string, unknown>> = made.kind
    for (const name of FIELDS) if (fields[name] !== this.#made[name]) return false
    return made.kind.extra === undefined && text.endsWith(this.#end)
  }

  /** The encoded record is equal to the recorded line. */
  remember({ record, text }: RecordLine, { kind }: TapeRecord): void {
    if (kind.kind !== 'clock_read' || record.scrubbed !== undefined || kind.extra !== undefined) return
    this.#recorded = record.kind
    this.#made = kind
    this.#end = text.slice(text.indexOf(',"kind":'))
  }
}
