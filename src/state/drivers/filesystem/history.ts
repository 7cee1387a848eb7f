/**
 * Superseded versions of a key, in `history/<key id>/`: `<n>.content` and `<n>.json`, hard links to the very
 * files that are about to be replaced. So keeping a version copies nothing, and also keeps what upstream or
 * an editor wrote. A deletion is `<n>.json` alone, with `deleted`.
 *
 * Decision 0043.
 */

import { contentHash } from '../../../base/index.ts'
import { systemCode } from '../../../errors/index.ts'
import { type Folder, isIn, namesIn, readFileIn, removeFilesAside } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import type { Entry, PastVersion } from '../../contract.ts'
import { deletionVersion, type Version, versionFrom, versionNumber } from '../../version.ts'
import { decodeMetadata, type Stamp } from './metadata.ts'
import { type Chain, keyId, openChain } from './places.ts'

/**
 * How often a write scans the whole folder for versions beyond the limit; otherwise it knows their
 * numbers.
 */
const SWEEP_EVERY = 64
/**
 * How many versions may wait to be deleted together. They are not visible: listings end at the limit.
 */
const BATCH = 16

export function openHistory(ours: Folder, key: string, make: boolean): Chain | null {
  return openChain(ours, ['history', keyId(key)], make)
}

/** The highest number that is kept, superseded or deleted; 0 if none. */
export function lastKeptNumber(ours: Folder, key: string): number {
  using chain = openHistory(ours, key, false)
  return chain === null ? 0 : Math.max(0, ...keptNumbers(chain.parent))
}

type Place = { readonly folder: Folder; readonly name: string }

/**
 * Links what is there now into the history, before it is replaced. Its metadata is there already unless
 * someone else wrote it.
 */
export function keepVersion(history: Folder, before: Entry, content: Place, metadata: Place): void {
  const number = versionNumber(before.version)
  linkOver(content.folder.at(content.name), history.at(`${number}.content`))
  if (before.writer === null || isIn(history, `${number}.json`) || !isIn(metadata.folder, metadata.name))
    return
  linkOnce(metadata.folder.at(metadata.name), history.at(`${number}.json`))
}

/** Links the metadata of what is about to come: its number stays known even if upstream writes over it. */
export function announceVersion(history: Folder, number: number, metadata: Place): void {
  linkOver(metadata.folder.at(metadata.name), history.at(`${number}.json`))
}

/**
 * Deletes versions beyond the limit, a few at a time and off the main thread: giving room back
 * can take longer than a write. A version that could not be removed, or whose remover died, is found by the
 * next sweep.
 */
export async function dropOldVersions(
  ours: Folder,
  key: string,
  current: number,
  limit: number,
): Promise<void> {
  const batch = Math.max(1, Math.min(BATCH, limit >> 2))
  if (current - 1 - limit < 1 || current % batch !== 0) return
  using chain = openHistory(ours, key, false)
  if (chain === null) return
  const old =
    current % SWEEP_EVERY === 0
      ? keptNumbers(chain.parent).filter((number) => number < current - limit)
      : lastOf(current - limit, batch)
  await removeFilesAside(
    chain.parent,
    old.flatMap((number) => [`${number}.content`, `${number}.json`]),
  )
}

function lastOf(end: number, count: number): readonly number[] {
  return Array.from({ length: Math.min(count, end - 1) }, (_, index) => end - 1 - index)
}

/** Oldest first. What is newer than `current` was never committed, and is not shown. */
export function pastVersions(ours: Folder, key: string, current: Entry | null): readonly PastVersion[] {
  using chain = openHistory(ours, key, false)
  if (chain === null) return []
  const below = current === null ? Number.POSITIVE_INFINITY : versionNumber(current.version)
  const numbers = [...new Set(keptNumbers(chain.parent))]
    .filter((number) => number < below)
    .sort((a, b) => a - b)
  return numbers.flatMap((number) => describe(chain.parent, number) ?? [])
}

export function readPast(ours: Folder, key: string, version: Version): Uint8Array | null {
  using chain = openHistory(ours, key, false)
  const content = chain === null ? null : readFileIn(chain.parent, `${versionNumber(version)}.content`)
  return content !== null && versionFrom(versionNumber(version), contentHash(content)) === version
    ? content
    : null
}

function describe(folder: Folder, number: number): PastVersion | null {
  const stamp = stampOf(folder, number)
  const content = readFileIn(folder, `${number}.content`)
  if (content !== null) {
    const version = versionFrom(number, contentHash(content))
    return {
      version,
      writer: stamp?.writer ?? null,
      updatedAt: stamp?.updatedAt ?? null,
      deleted: false,
      sizeBytes: content.byteLength,
    }
  }
  if (stamp === null || !stamp.deleted) return null
  return {
    version: deletionVersion(number),
    writer: stamp.writer,
    updatedAt: stamp.updatedAt,
    deleted: true,
    sizeBytes: 0,
  }
}

/** The metadata file may name this version as its second owner, after a crash between the two renames. */
function stampOf(folder: Folder, number: number): (Stamp & { readonly deleted: boolean }) | null {
  const bytes = readFileIn(folder, `${number}.json`)
  if (bytes === null) return null
  try {
    const metadata = decodeMetadata(bytes, `${number}.json`)
    return metadata.previous?.number === number ? { ...metadata.previous, deleted: false } : metadata.current
  } catch {
    // Kept as damaged as it was found: the content is shown, its owner is not known.
    return null
  }
}

function keptNumbers(folder: Folder): readonly number[] {
  return namesIn(folder).flatMap(({ name }) => {
    const match = /^([1-9]\d*)\.(content|json)$/.exec(name)
    return match === null ? [] : [Number(match[1])]
  })
}

/** A leftover of a write that was never committed is replaced. */
function linkOver(from: string, to: string): void {
  if (linkOnce(from, to)) return
  fs.unlinkSync(to)
  linkOnce(from, to)
}

/** False if there is something already. A file system without hard links gets a copy. */
function linkOnce(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EMLINK'].includes(systemCode(error) ?? '')) throw error
    fs.copyFileSync(from, to)
    return true
  }
}
