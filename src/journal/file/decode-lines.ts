/**
 * Lines to entries, damage apart. Damage never ends the reading: what is whole in a damaged line is
 * recovered, the rest is named with line, offset and reason, and the next line is read as usual.
 */
import { isTooDeep, MAX_JSON_DEPTH, printable, tryParseJson } from '../../base/index.ts'
import type { Line } from '../../tape/lines.ts'
import type { JournalEntry } from '../events/journal.ts'
import type { EventProblem } from '../events/problems.ts'
import { decodeEntry, looksLikeEntry } from './entry-line.ts'
import { type LineDamage, recoverLine } from './recover-line.ts'

export type JournalDamage = {
  readonly line: number
  readonly offset: number
  readonly bytes: number
  readonly reason: LineDamage
  /** Whole records that were found in the line all the same. */
  readonly recovered: number
  /** More about it, for people: the path and reason of an invalid event. */
  readonly detail: string | null
}

/**
 * How a parsed line becomes what is read: an entry of a journal, a bare event with a number, a record of a
 * foreign log.
 */
export type LineDecoder<T> = {
  /** True for a record, false for an object that was nested inside a torn record. */
  isRecord(value: unknown): boolean
  decode(
    value: unknown,
  ):
    | { readonly ok: true; readonly entry: T }
    | { readonly ok: false; readonly problems: readonly EventProblem[] }
}

export const journalDecoder: LineDecoder<JournalEntry> = { isRecord: looksLikeEntry, decode: decodeEntry }

export function decodeLine<T>(
  raw: Line,
  decoder: LineDecoder<T>,
  onEntry: (entry: T) => void,
  onDamage: (damage: JournalDamage) => void,
): void {
  const damaged = (reason: LineDamage, recovered: number, detail: string | null): void =>
    onDamage({ line: raw.number, offset: raw.offset, bytes: raw.lengthBytes, reason, recovered, detail })
  // A byte order mark at the beginning of a file does not belong to the first record.
  const text = raw.offset === 0 && raw.text?.charCodeAt(0) === 0xfeff ? raw.text.slice(1) : raw.text
  if (text === null) damaged(raw.problem ?? 'not-utf8', 0, null)
  else if (isBlank(text)) return
  else if (isTooDeep(text)) damaged('too-deep', 0, `nested deeper than ${MAX_JSON_DEPTH} levels`)
  else {
    const value = tryParseJson(text)
    if (value === undefined) recover(text)
    else {
      const decoded = decoder.decode(value)
      if (decoded.ok) onEntry(decoded.entry)
      else
        damaged(
          'invalid',
          0,
          decoded.problems.map(({ path, reason }) => printable(`${path} ${reason}`, 300))[0] ?? null,
        )
    }
  }
  function recover(line: string): void {
    const { damage, records, lost } = recoverLine(line, decoder.isRecord)
    for (const record of records) {
      const decoded = decoder.decode(record.value)
      if (decoded.ok) onEntry(decoded.entry)
    }
    damaged(damage, records.length, lost > 0 ? `${lost} characters lost` : null)
  }
}

function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== 0x7b && text.trim() === ''
}
