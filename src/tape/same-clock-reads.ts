/**
 * Recognises a clock read whose line is that of the recorded one, without encoding it: there may be millions.
 *
 * The parser shares one kind between lines that differ in the numbers of their envelope only, and that are
 * otherwise what the encoder writes. So after one of these lines was equal to the encoded record, the others
 * need a comparison of values. For any other record the caller encodes and compares the line.
 */

import type { Kind, RecordKind } from './kinds.ts'
import type { TapeRecord } from './record.ts'

type RecordLine = { readonly record: TapeRecord; readonly text: string }

export class SameClockReads {
  #recorded: RecordKind | null = null
  #made: Kind<'clock_read'> | null = null

  /** False if the line must be encoded. */
  isSame({ record, text }: RecordLine, made: TapeRecord): boolean {
    const { kind } = made
    const known = this.#made
    if (known === null || record.kind !== this.#recorded || kind.kind !== 'clock_read') return false
    return (
      record.seq === made.seq &&
      record.virtualTimeMs === made.virtualTimeMs &&
      record.monotonicMs === made.monotonicMs &&
      record.phase === made.phase &&
      record.scrubbed === made.scrubbed &&
      (kind === known || isSameRead(kind, known)) &&
      // A record that was edited has no line.
      text !== ''
    )
  }

  /** The encoded record is equal to the recorded line. */
  remember({ record }: RecordLine, { kind }: TapeRecord): void {
    if (kind.kind !== 'clock_read' || record.scrubbed !== undefined || kind.extra !== undefined) return
    this.#recorded = record.kind
    this.#made = kind
  }
}

/** Each field by its name: a loop over the table takes four times as long. */
function isSameRead(a: Kind<'clock_read'>, b: Kind<'clock_read'>): boolean {
  return (
    a.valueMs === b.valueMs &&
    a.api === b.api &&
    a.source === b.source &&
    a.value === b.value &&
    a.extra === undefined
  )
}
