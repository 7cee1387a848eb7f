/**
 * Reads the entries of a session from its files, rotated parts first. Streams: memory does not grow with the
 * journal. Damage is handed to `onDamage` and reading goes on; a missing session is an empty one.
 */
import { fs } from '../../real/index.ts'
import { primitiveOfKind } from '../events/category.ts'
import type { JournalEntry, ReadOptions } from '../events/journal.ts'
import { decodeLine, type JournalDamage, journalDecoder, type LineDecoder } from './decode-lines.ts'
import { openInOrder, openOrNull } from './open-in-order.ts'
import { readFilledLines } from './read-lines.ts'
import type { SessionFiles } from './session-files.ts'

export type DamageListener = (damage: JournalDamage & { readonly path: string }) => void

export type FileReadOptions = ReadOptions & { readonly onDamage?: DamageListener }

export async function* readJournal(
  files: SessionFiles,
  options: FileReadOptions = {},
): AsyncGenerator<JournalEntry> {
  for await (const batch of readJournalBatches(files, options)) yield* batch
}

/** The same, a chunk's worth at a time: what a fold over a long journal wants. */
export async function* readJournalBatches(
  files: SessionFiles,
  options: FileReadOptions = {},
): AsyncGenerator<readonly JournalEntry[]> {
  const { fromSeq = 0, primitive, onDamage } = options
  const all = fromSeq === 0 && primitive === undefined
  const wanted = (entry: JournalEntry): boolean =>
    entry.seq >= fromSeq && (primitive === undefined || primitiveOfKind(entry.event.kind) === primitive)
  for (const { handle, path } of openInOrder(files)) {
    for await (const entries of recordsOf(handle, path, journalDecoder, onDamage))
      yield all ? entries : entries.filter(wanted)
  }
}

/** What the lines of one file hold, a chunk's worth at a time; an absent file holds nothing. */
export async function* readRecords<T>(
  path: string,
  decoder: LineDecoder<T>,
  onDamage?: DamageListener,
): AsyncGenerator<readonly T[]> {
  const handle = openOrNull(path)
  if (handle === null) return
  try {
    yield* recordsOf(handle, path, decoder, onDamage)
  } finally {
    fs.closeSync(handle)
  }
}

async function* recordsOf<T>(
  handle: number,
  path: string,
  decoder: LineDecoder<T>,
  onDamage?: DamageListener,
): AsyncGenerator<readonly T[]> {
  // Spelled out: a spread is slow, and a file may have a million damaged lines.
  const report = ({ line, offset, bytes, reason, recovered, detail }: JournalDamage): void =>
    onDamage?.({ line, offset, bytes, reason, recovered, detail, path })
  for await (const lines of readFilledLines(handle, path)) {
    const records: T[] = []
    const keep = (record: T): void => void records.push(record)
    for (const line of lines) decodeLine(line, decoder, keep, report)
    yield records
  }
}
