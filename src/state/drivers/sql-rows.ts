/** Rows of the two SQL drivers, to and from entries. The columns of a version are the same in both. Pure. */
import { parseJson } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import type { Change, Entry, PastVersion } from '../contract.ts'
import { deletionVersion, type Version, versionFrom, versionNumber } from '../version.ts'
import { setIdsToWire, type Writer, writerFromWire } from '../writer.ts'

/**
 * Postgres: versions beyond the limit are not shown; they are deleted from time to time, in the background.
 */
const PRUNE_EVERY = 50

/** Whether this write takes the superseded versions away. */
export function prunesAt(number: number, historyLimit: number): boolean {
  return number % Math.min(PRUNE_EVERY, Math.max(1, historyLimit)) === 0
}

export type Row = Readonly<Record<string, unknown>>

export type PutRow = {
  readonly number: number
  /** Null for a deletion. */
  readonly hash: string | null
  readonly content: Uint8Array | null
  readonly writer: string
  readonly instance: string | null
  readonly updatedAt: number
}

export function rowOf(change: Change): PutRow {
  const content = change.kind === 'put' ? change.content : null
  return {
    number: versionNumber(change.version),
    hash: change.kind === 'put' ? change.hash : null,
    content,
    writer: writerText(change.writer),
    instance: change.writer.instance,
    updatedAt: change.updatedAt,
  }
}

const texts = new WeakMap<Writer, string>()

/** A handle has one writer for all its writes. */
export function writerText(writer: Writer): string {
  const known = texts.get(writer)
  if (known !== undefined) return known
  const text = JSON.stringify(setIdsToWire(writer))
  texts.set(writer, text)
  return text
}

/** Null for a key that was deleted. */
export function entryFromRow(row: Row): Entry | null {
  if (row.hash === null) return null
  // Some Nodes give an empty blob as null.
  const bytes = row.content instanceof Uint8Array ? row.content : new Uint8Array()
  const content = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    content,
    hash: String(row.hash),
    version: versionFromRow(row),
    writer: writerFromRow(row),
    updatedAt: Number(row.updated_at),
  }
}

export function pastFromRow(row: Row): PastVersion {
  const deleted = row.hash === null
  return {
    version: versionFromRow(row),
    writer: writerFromRow(row),
    updatedAt: Number(row.updated_at),
    deleted,
    sizeBytes: Number(row.size ?? 0),
  }
}

export function versionFromRow(row: Row): Version {
  return typeof row.hash === 'string'
    ? versionFrom(Number(row.number), row.hash)
    : deletionVersion(Number(row.number))
}

export function writerFromRow(row: Row): Writer | null {
  return writerFromWire(parseJson(String(row.writer)), row.instance)
}

export function newerSchema(found: number, known: number): RepriseError {
  return new RepriseError(
    'state-database',
    `agent_state: the database has layout ${found}; this version knows ${known}`,
    {
      details: { found, known },
      hint: 'use a newer reprise for it',
    },
  )
}
