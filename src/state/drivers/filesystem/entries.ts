/**
 * Reads keys: content, owner and version that belong together, although they are two files and a writer may
 * be at work. The content's hash decides: where the metadata does not know it, both are read again; if the
 * metadata has not moved, the content was written past us and has no owner.
 */

import { compareUtf8, contentHash, equalBytes } from '../../../base/index.ts'
import { systemCode } from '../../../errors/index.ts'
import { type Folder, namesIn, readFileIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import type { Entry, Loaded } from '../../contract.ts'
import { isReservedName } from '../../keys.ts'
import { type Version, versionFrom, versionNumber } from '../../version.ts'
import { lastKeptNumber } from './history.ts'
import { decodeMetadata, type Metadata, ownerOf, type Stamp } from './metadata.ts'
import { findMetadata } from './metadata-place.ts'
import {
  blockedKey,
  isNoFolder,
  openChain,
  openUnlessReplaced,
  type ReadFolders,
  splitKey,
  systemError,
} from './places.ts'

export function readEntry(folders: ReadFolders, key: string): Entry | null {
  for (let seen: Uint8Array | null = null, attempt = 0; ; attempt += 1) {
    const bytes = metadataBytes(folders, key)
    const content = readContent(folders.session, key)
    if (content === null) return null
    const hash = contentHash(content)
    const owner = bytes === null ? null : knownOwner(bytes, hash)
    // The second look found the same metadata: no writer is at work between the two files, this content is a
    // stranger's.
    const settled = owner !== null || (attempt > 0 && sameBytes(seen, bytes))
    if (settled)
      return {
        content,
        hash,
        version: versionOf(folders, key, owner, bytes, hash),
        writer: owner?.writer ?? null,
        updatedAt: owner?.updatedAt ?? null,
      }
    seen = bytes
  }
}

/** As `readEntry`, for who holds the lock: with the counter, and with damaged metadata as an error. */
export function loadEntry(folders: ReadFolders, key: string): Loaded {
  const entry = readEntry(folders, key)
  // Where an owner was found, its metadata was read.
  if (entry?.writer == null) {
    using found = findMetadata(folders, key)
    if (found !== null) decodeMetadata(found.bytes, `${found.folder.path}/${found.name}`)
  }
  if (entry !== null) return { entry, counter: versionNumber(entry.version) }
  return { entry: null, counter: folders.ours === null ? 0 : lastKeptNumber(folders.ours, key) }
}

export function listKeys(session: Folder): readonly string[] {
  const keys: string[] = []
  walk(session, '', (key) => keys.push(key))
  return keys.sort(compareUtf8)
}

/** A key that excludes this one: a file on its way, or any file below it. */
export function findClash(session: Folder, key: string): string | null {
  const components = key.split('/')
  for (let length = 1; length < components.length; length += 1) {
    const part = components.slice(0, length).join('/')
    const stat = lookAt(session, part)
    if (stat === 'missing') return null
    if (stat === 'file') return part
    if (stat === 'other') throw blockedKey(session, key)
  }
  if (lookAt(session, key) !== 'folder') return null
  using chain = openChain(session, components, false)
  let first: string | null = null
  if (chain !== null) walk(chain.parent, `${key}/`, (below) => (first ??= below))
  return first
}

/** The versions of all keys. Files whose identity has not changed since the last look are not read again. */
export function readVersions(
  folders: ReadFolders,
  known: Map<string, { readonly mark: string; readonly version: Version }>,
): ReadonlyMap<string, Version> {
  const versions = new Map<string, Version>()
  for (const key of listKeys(folders.session)) {
    const mark = fileMark(folders, key)
    const before = known.get(key)
    const version = mark !== null && before?.mark === mark ? before.version : readEntry(folders, key)?.version
    if (version === undefined) continue
    versions.set(key, version)
    if (mark !== null) known.set(key, { mark, version })
  }
  return versions
}

function metadataBytes(folders: ReadFolders, key: string): Uint8Array | null {
  using found = findMetadata(folders, key)
  return found?.bytes ?? null
}

function readContent(session: Folder, key: string): Uint8Array | null {
  const { parents, name } = splitKey(key)
  try {
    using chain = openChain(session, parents, false)
    return chain === null ? null : readFileIn(chain.parent, name)
  } catch (error) {
    // A folder where the key would be, or a key where a folder would be: nothing is there under this name. A
    // link is refused.
    if (systemCode(error) === 'EISDIR') return null
    if (isNoFolder(error)) {
      const blocked = blockedKey(session, key)
      if (blocked.code === 'state-key-clash') return null
      throw blocked
    }
    throw systemError(error, 'read', `${session.path}/${key}`)
  }
}

function knownOwner(bytes: Uint8Array, hash: string): Stamp | null {
  return ownerOf(decodeOrEmpty(bytes), hash)
}

function decodeOrEmpty(bytes: Uint8Array): Metadata {
  try {
    return decodeMetadata(bytes, '')
  } catch {
    // Damaged metadata does not keep anyone from reading the content; a write is refused, in `loadEntry`.
    return {
      current: { writer: null, updatedAt: null, number: null, hash: 'damaged', deleted: false },
      previous: null,
    }
  }
}

function versionOf(
  folders: ReadFolders,
  key: string,
  owner: Stamp | null,
  bytes: Uint8Array | null,
  hash: string,
): Version {
  if (owner !== null && owner.number !== null) return versionFrom(owner.number, hash)
  // Written past us: one more than the last number that is known.
  const named = bytes === null ? 0 : (decodeOrEmpty(bytes).current.number ?? 0)
  const kept = folders.ours === null ? 0 : lastKeptNumber(folders.ours, key)
  return versionFrom(Math.max(named, kept) + 1, hash)
}

function walk(folder: Folder, prefix: string, visit: (key: string) => void): void {
  for (const { name, kind } of namesIn(folder)) {
    if (isReservedName(name)) continue
    if (kind === 'file') visit(`${prefix}${name}`)
    if (kind !== 'folder') continue
    using inner = openUnlessReplaced(folder, name)
    if (inner !== null) walk(inner, `${prefix}${name}/`, visit)
  }
}

function lookAt(session: Folder, path: string): 'missing' | 'file' | 'folder' | 'other' {
  const stat = fs.lstatSync(session.at(path), { throwIfNoEntry: false })
  if (stat === undefined) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
}

function fileMark(folders: ReadFolders, key: string): string | null {
  const content = fs.lstatSync(folders.session.at(key), { throwIfNoEntry: false, bigint: true })
  const metadata =
    folders.meta === null
      ? undefined
      : fs.lstatSync(folders.meta.at(`${key}.json`), { throwIfNoEntry: false, bigint: true })
  if (content === undefined || !content.isFile()) return null
  return [content, metadata]
    .map((stat) => (stat === undefined ? '-' : `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`))
    .join('/')
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : equalBytes(a, b)
}
