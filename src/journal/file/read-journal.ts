/**
 * Reads the entries of a session from its files, rotated parts first. Streams: memory does not grow with the journal. Damage is handed to
 * `onDamage` and reading goes on; a missing session is an empty one.
 */
import { fromSystemError } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { primitiveOfKind } from '../events/category.ts'
import type { JournalEntry, ReadOptions } from '../journal.ts'
import { decodeLine, type EntryDecoder, type JournalDamage, journalDecoder } from './decode-lines.ts'
import { readLines } from './read-lines.ts'
import { listParts, type SessionFiles } from './session-files.ts'

export type DamageListener = (damage: JournalDamage & { readonly path: string }) => void

export type FileReadOptions = ReadOptions & { readonly onDamage?: DamageListener }

export async function* readJournal(files: SessionFiles, options: FileReadOptions = {}): AsyncGenerator<JournalEntry> {
  for await (const batch of readJournalBatches(files, options)) yield* batch
}

/** The same, a chunk's worth at a time: what a fold over a long journal wants. */
export async function* readJournalBatches(files: SessionFiles, options: FileReadOptions = {}): AsyncGenerator<readonly JournalEntry[]> {
  if (!fs.existsSync(files.dir)) return
  const paths = [...listParts(files).map((part) => part.path), files.log]
  for (const path of paths) yield* readEntries(path, journalDecoder, options)
}

/** The entries of one file; an absent file has none. */
export async function* readEntries(path: string, decoder: EntryDecoder, options: FileReadOptions = {}): AsyncGenerator<readonly JournalEntry[]> {
  const handle = openOrNull(path)
  if (handle === null) return
  const { fromSeq = 0, primitive, onDamage } = options
  const wanted = (entry: JournalEntry): boolean =>
    entry.seq >= fromSeq && (primitive === undefined || primitiveOfKind(entry.event.kind) === primitive)
  try {
    for await (const lines of readLines(handle)) {
      const entries: JournalEntry[] = []
      for (const line of lines) {
        decodeLine(
          line,
          decoder,
          (entry) => void (wanted(entry) && entries.push(entry)),
          (damage) => onDamage?.({ ...damage, path }),
        )
      }
      if (entries.length > 0) yield entries
    }
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  } finally {
    fs.closeSync(handle)
  }
}

function openOrNull(path: string): number | null {
  try {
    return fs.openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw fromSystemError(error, 'read', path)
  }
}
