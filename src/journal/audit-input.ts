/**
 * Any file or database that `audit` can be pointed at, as a stream of numbered session events: a journal with
 * its rotated parts, entries or bare events as JSON lines or in one JSON array, a tape, a foreign log. Bare
 * and imported events are counted from 0.
 *
 * Damage is reported and reading continues. A file in which no record is known is refused.
 */
import { basename, dirname } from 'node:path'
import { isObject, printable } from '../base/index.ts'
import { isRepriseError, RepriseError } from '../errors/index.ts'
import { decodeEvent } from './events/decode.ts'
import type { JournalEntry } from './events/journal.ts'
import type { LineDecoder } from './file/decode-lines.ts'
import { decodeEntry } from './file/entry-line.ts'
import { type DamageListener, readJournalBatches, readRecords } from './file/read-journal.ts'
import { listParts, type SessionFiles, sessionFiles } from './file/session-files.ts'
import { importLog } from './importers/import-log.ts'
import { foreignFormats, formatOf, type InputFormat } from './input/formats.ts'
import { readValues, shapeOf } from './input/read-values.ts'
import { isDatabase } from './postgres/place.ts'

export type AuditInput = {
  readonly format: InputFormat
  readonly entries: AsyncIterable<readonly JournalEntry[]>
}

/** How many whole records to look at before giving up on knowing a file. */
const LOOK_AT = 1000

export async function openAuditInput(path: string, onDamage: DamageListener): Promise<AuditInput> {
  if (isDatabase(path)) {
    const { readSession } = await import('./postgres/read-session.ts')
    return { format: 'journal', entries: readSession(path) }
  }
  const format = await sniff(path)
  switch (format) {
    case 'journal':
      return {
        format,
        entries: hasParts(path) ? readJournalBatches(filesOf(path), { onDamage }) : readLoose(path, onDamage),
      }
    case 'events':
      return { format, entries: readLoose(path, onDamage) }
    default:
      return { format, entries: numbered(importLog(format, path, onDamage).events) }
  }
}

/**
 * Which format a file has, by the first record in it that one is known by. An empty file is an empty journal.
 */
async function sniff(path: string): Promise<InputFormat> {
  let examined = 0
  let first: unknown
  const noteDamage = (): void => {
    examined += 1
  }
  for await (const values of readValues(path, (value) => formatOf(value) !== null, noteDamage)) {
    for (const value of values) {
      const format = formatOf(value)
      if (format !== null) return format
      first ??= value
      examined += 1
    }
    if (examined >= LOOK_AT) break
  }
  if (examined === 0) return 'journal'
  throw unknownInput(path, first)
}

function unknownInput(path: string, first: unknown): RepriseError {
  const saw =
    first === undefined
      ? 'nothing in it is JSON'
      : `its first value is ${printable(JSON.stringify(first)?.slice(0, 60) ?? '?')}`
  return new RepriseError('audit-input', `${path} is not a session log that this version knows: ${saw}`, {
    details: { path },
    hint: `journals, session events, ${foreignFormats.join(', ')} logs can be read`,
  })
}

/** Entries and bare events, also mixed: what has no number gets the next one. */
async function* readLoose(path: string, onDamage: DamageListener): AsyncGenerator<readonly JournalEntry[]> {
  const decoder = looseDecoder()
  if (shapeOf(path) === 'lines') {
    yield* readRecords(path, decoder, onDamage)
    return
  }
  let index = -1
  for await (const values of readValues(path, decoder.isRecord, onDamage)) {
    const entries: JournalEntry[] = []
    for (const value of values) {
      index += 1
      const decoded = decoder.decode(value)
      if (decoded.ok) entries.push(decoded.entry)
      else {
        const detail =
          decoded.problems.map((problem) =>
            printable(`element ${index}: ${problem.path} ${problem.reason}`, 300),
          )[0] ?? null
        onDamage({ path, line: index + 1, offset: 0, bytes: 0, reason: 'invalid', recovered: 0, detail })
      }
    }
    if (entries.length > 0) yield entries
  }
}

function looseDecoder(): LineDecoder<JournalEntry> {
  let next = 0
  return {
    isRecord: (value) => formatOf(value) === 'journal' || formatOf(value) === 'events',
    decode(value) {
      if (isObject(value) && 'event' in value && 'seq' in value) {
        const decoded = decodeEntry(value)
        if (decoded.ok) next = decoded.entry.seq + 1
        return decoded
      }
      const decoded = decodeEvent(value)
      // A bare event that cannot be read still had its place.
      next += 1
      return decoded.ok ? { ok: true, entry: { seq: next - 1, event: decoded.event } } : decoded
    },
  }
}

async function* numbered(
  batches: AsyncIterable<readonly JournalEntry['event'][]>,
): AsyncGenerator<readonly JournalEntry[]> {
  let seq = 0
  for await (const events of batches) {
    yield events.map((event) => {
      seq += 1
      return { seq: seq - 1, event }
    })
  }
}

/** The files of the session whose log is at `path`, whatever it is called. */
export function filesOf(path: string): SessionFiles {
  return { ...sessionFiles(dirname(path), basename(path).replace(/\.jsonl$/, '')), log: path }
}

/** True for `<session>.jsonl` with rotated parts in the same folder. */
function hasParts(path: string): boolean {
  if (!path.endsWith('.jsonl')) return false
  try {
    return listParts(filesOf(path)).length > 0
  } catch (error) {
    // A name that no session can have: a file from elsewhere.
    if (isRepriseError(error) && error.code === 'session-id-invalid') return false
    throw error
  }
}
