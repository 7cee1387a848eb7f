/**
 * The metadata file of a key: upstream's `writer` and `updated_at`, and what lets owner and
 * content never disagree. Pure.
 *
 * It is written before the content: `writer` with the hash of what is about to come, `previous` with the hash
 * of what is there. Whichever content is found, before, after or instead of a crash, its hash decides who
 * wrote it.
 */
import { isObject, parseJson, textOrNull } from '../../../base/index.ts'
import { RepriseError } from '../../../errors/index.ts'
import type { Change } from '../../contract.ts'
import { versionNumber } from '../../version.ts'
import { setIdsToWire, type Writer, writerFromWire } from '../../writer.ts'

/** One owner of one content. Upstream's own files have no hash and no number. */
export type Stamp = {
  readonly writer: Writer | null
  readonly updatedAt: number | null
  readonly number: number | null
  readonly hash: string | null
}

export type Metadata = {
  readonly current: Stamp & { readonly deleted: boolean }
  readonly previous: Stamp | null
}

export function encodeMetadata(change: Change): string {
  const hash = change.kind === 'put' ? change.hash : null
  const { before } = change
  const number = versionNumber(change.version)
  const previous =
    before === null
      ? null
      : stampToWire(before.writer, before.updatedAt, versionNumber(before.version), before.hash)
  const deleted = change.kind === 'remove' ? { deleted: true } : {}
  return `${JSON.stringify({ ...stampToWire(change.writer, change.updatedAt, number, hash), ...deleted, previous }, null, 2)}\n`
}

export function decodeMetadata(bytes: Uint8Array, path: string): Metadata {
  const wire = parse(bytes, path)
  const previous = field(wire, 'previous')
  const current = stampFromWire(wire)
  return {
    current: { ...current, deleted: field(wire, 'deleted') === true },
    previous: typeof previous === 'object' && previous !== null ? stampFromWire(previous) : null,
  }
}

/** Whose this content is; null if the metadata does not know it. */
export function ownerOf(metadata: Metadata, hash: string): Stamp | null {
  if (metadata.current.hash === hash) return metadata.current
  if (metadata.previous?.hash === hash) return metadata.previous
  // Upstream signs without a hash, after the content: its word is all there is.
  return metadata.current.hash === null ? metadata.current : null
}

function stampToWire(
  writer: Writer | null,
  updatedAt: number | null,
  number: number,
  hash: string | null,
): Record<string, unknown> {
  return {
    ...(writer === null ? {} : { writer: setIdsToWire(writer) }),
    ...(updatedAt === null ? {} : { updated_at: updatedAt }),
    ...(writer?.instance == null ? {} : { instance: writer.instance }),
    version: number,
    ...(hash === null ? {} : { hash }),
  }
}

function stampFromWire(wire: object): Stamp {
  const updatedAt = field(wire, 'updated_at')
  const number = field(wire, 'version')
  const hash = field(wire, 'hash')
  return {
    writer: writerFromWire(field(wire, 'writer'), field(wire, 'instance')),
    updatedAt: typeof updatedAt === 'number' ? updatedAt : null,
    number: typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null,
    hash: typeof hash === 'string' ? hash : null,
  }
}

function parse(bytes: Uint8Array, path: string): object {
  const text = textOrNull(bytes)
  let reason = 'not UTF-8'
  try {
    const value: unknown = text === null ? null : parseJson(text)
    if (isObject(value)) return value
    if (text !== null) reason = 'not a JSON object'
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  throw new RepriseError(
    'state-metadata-damaged',
    `agent_state: failed to parse metadata ${path}: ${reason}`,
    {
      details: { path },
      hint: 'the content is whole: remove the metadata file to give up who wrote it',
    },
  )
}

function field(wire: object, name: string): unknown {
  return Object.hasOwn(wire, name) ? Reflect.get(wire, name) : undefined
}
