/**
 * What drivers answer, as JSON for a tape and back. Pure.
 *
 * Of an entry the tape has the number of its version and its content, not its hash: the content may have been
 * scrubbed, and a version is then that of what the tape holds, in everything that a replay sees.
 */
import { contentHash, fieldsOf, type Json, type JsonObject } from '../../base/index.ts'
import { isRepriseError, RepriseError } from '../../errors/index.ts'
import type { StateAnswer } from '../../tape/state-crossing.ts'
import type { Entry, Loaded, PastVersion, WriteOutcome } from '../contract.ts'
import { isVersion, type Version, versionFrom, versionNumber } from '../version.ts'
import { type Writer, writerFromWire, writerToWire } from '../writer.ts'

export function loadedAnswer({ entry, counter }: Loaded): StateAnswer {
  return { ...entryAnswer(entry), result: { entry: entry === null ? null : entryFacts(entry), counter } }
}

export function loadedFrom({ result, content }: StateAnswer): Loaded {
  const fields = fieldsOf(result)
  return { entry: entryFrom({ result: fields.entry ?? null, content }), counter: Number(fields.counter ?? 0) }
}

export function entryAnswer(entry: Entry | null): StateAnswer {
  return entry === null
    ? { result: null, content: null }
    : { result: entryFacts(entry), content: entry.content }
}

export function entryFrom({ result, content }: StateAnswer): Entry | null {
  if (result === null || content === null) return null
  const fields = fieldsOf(result)
  const hash = contentHash(content)
  const updatedAt = fields.updated_at
  return {
    content,
    hash,
    version: versionFrom(Number(fields.number ?? 0), hash),
    writer: writerFrom(fields),
    updatedAt: typeof updatedAt === 'number' ? updatedAt : null,
  }
}

export function pastFacts(past: PastVersion): Json {
  const { version, updatedAt, deleted, sizeBytes } = past
  return { version, ...writerFacts(past.writer), updated_at: updatedAt, deleted, size_bytes: sizeBytes }
}

export function pastFrom(value: Json): PastVersion {
  const fields = fieldsOf(value)
  const updatedAt = fields.updated_at
  return {
    version: versionOf(fields.version ?? null),
    writer: writerFrom(fields),
    updatedAt: typeof updatedAt === 'number' ? updatedAt : null,
    deleted: fields.deleted === true,
    sizeBytes: Number(fields.size_bytes ?? 0),
  }
}

/** Only what a driver decides alone: a write under `ignore`, which has no conflict. */
export function writtenFacts(outcome: WriteOutcome | null): Json {
  return outcome === null ? null : { number: versionNumber(outcome.version) }
}

export function writtenFrom(value: Json, content: Uint8Array): WriteOutcome | null {
  if (value === null) return null
  return { version: versionFrom(Number(fieldsOf(value).number ?? 0), contentHash(content)), conflict: null }
}

export function textsFrom(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

export function versionsFrom(value: Json): ReadonlyMap<string, Version> {
  return new Map(Object.entries(fieldsOf(value)).map(([key, version]) => [key, versionOf(version)]))
}

/** An error of ours is an answer like any other, whole; anything else is thrown on. */
export function refusalOf(error: unknown): Json {
  if (!isRepriseError(error)) throw error
  const { code, message, hint, details } = error
  return {
    refused: { code, message, hint: hint ?? null, details: JSON.parse(JSON.stringify(details ?? {})) },
  }
}

/** Throws what was refused when this was recorded. */
export function throwRefusal(value: Json): void {
  const refused = fieldsOf(value).refused
  if (refused === undefined) return
  const { code, message, hint, details } = fieldsOf(refused)
  throw new RepriseError(String(code) as RepriseError['code'], String(message), {
    details: fieldsOf(details ?? null),
    ...(typeof hint === 'string' ? { hint } : {}),
  })
}

function entryFacts(entry: Entry): Json {
  return { number: versionNumber(entry.version), ...writerFacts(entry.writer), updated_at: entry.updatedAt }
}

function writerFacts(writer: Writer | null): { readonly writer: Json; readonly instance: Json } {
  return { writer: writer === null ? null : writerToWire(writer), instance: writer?.instance ?? null }
}

function writerFrom(fields: JsonObject): Writer | null {
  return writerFromWire(fields.writer, fields.instance)
}

function versionOf(value: Json): Version {
  if (typeof value === 'string' && isVersion(value)) return value
  throw new RepriseError('tape-record-invalid', 'agent_state: a version on the tape is none', {
    hint: 'run `reprise verify` to see what is wrong with the tape',
  })
}
