/**
 * The lower file system of a run that left its tape: files as the tape knows them. A file that the tape does
 * not know is refused, or read from the disk if the user allowed that (`--live files`).
 */
import { basename } from 'node:path'
import type { Attributes, Lower, LowerEntry } from '../../boundaries/files/layer/lower.ts'
import { type KnownFile, type KnownFiles, parentOf } from './known-files.ts'

export type KnownLowerOptions = {
  readonly known: KnownFiles
  /** The portable name of a path of the layer. */
  readonly portable: (absolute: string) => string
  /** The disk, and the path on it of a path of the layer; null if it is not read. */
  readonly disk: { readonly lower: Lower; readonly place: (absolute: string) => string } | null
  /** Folders that always exist: roots, home, the temporary folder. */
  readonly folders: readonly string[]
  readonly owner: { readonly uid: number; readonly gid: number }
  /** The error for a file that the tape does not know. */
  readonly unknown: (portable: string) => Error
}

export type KnownLower = Lower & {
  /** While `make` runs, these paths count as absent if the tape does not know them. */
  assumingAbsent<T>(isNew: (absolute: string) => boolean, make: () => T): T
  /** While `make` runs, a folder with unknown names has the known ones. */
  onlyKnown<T>(make: () => T): T
  /** The program has read this content: it is the file's current content. */
  learn(absolute: string, bytes: Uint8Array): void
  /** Whether it exists, but the tape does not contain what it is. */
  isUnsure(absolute: string): boolean
}

export function knownLower(options: KnownLowerOptions): KnownLower {
  const { portable, disk, owner } = options
  const known = new Map(options.known)
  const folders = new Set<string>()
  /** With every folder above it. */
  const addFolders = (path: string): void => {
    for (let at = path; !folders.has(at); at = parentOf(at)) folders.add(at)
  }
  const above = (absolute: string): void => {
    for (let at = absolute; at !== '/'; at = at.slice(0, at.lastIndexOf('/')) || '/') addFolders(portable(at))
  }
  for (const folder of options.folders) above(folder)
  for (const [path, file] of known) if (file.kind !== 'absent') addFolders(parentOf(path))
  let isOnlyKnown = false
  let isAssumed: (absolute: string) => boolean = () => false
  const numbers = new Map<string, number>()
  const numberOf = (path: string): number => {
    const number = numbers.get(path) ?? numbers.size + 1
    numbers.set(path, number)
    return number
  }

  const attributes = (path: string, mode: number): Attributes => ({
    ...{ dev: 1, ino: numberOf(path), mode, nlink: 1, ...owner },
    ...{ atimeNs: 0n, mtimeNs: 0n, ctimeNs: 0n, birthtimeNs: 0n },
  })

  const isSurelyAbsent = (path: string): boolean => {
    for (let at = path; at !== parentOf(at); at = parentOf(at)) {
      if (known.get(at)?.kind === 'absent') return true
      const folder = known.get(parentOf(at))
      if (folder?.kind === 'folder' && folder.names !== null && !folder.names.has(basename(at))) return true
    }
    return false
  }

  const entryOf = (path: string, file: KnownFile): LowerEntry | null => {
    switch (file.kind) {
      case 'absent':
        return null
      case 'folder':
        return { kind: 'folder', attributes: attributes(path, file.mode) }
      case 'symlink':
        return { kind: 'symlink', attributes: attributes(path, 0o777) }
      case 'file': {
        const sizeBytes = file.bytes === null ? (file.sizeBytes ?? 0) : file.bytes().byteLength
        return { kind: 'file', attributes: attributes(path, file.mode), sizeBytes }
      }
    }
  }

  return {
    entry(absolute) {
      const path = absolute === '/' ? '/' : portable(absolute)
      const file = known.get(path)
      const isFolder = absolute === '/' || folders.has(path)
      if (file !== undefined && !(isFolder && file.kind !== 'folder')) {
        const isThin = file.kind === 'file' && file.bytes === null
        return (isThin ? disk?.lower.entry(disk.place(absolute)) : null) ?? entryOf(path, file)
      }
      if (isFolder) return { kind: 'folder', attributes: attributes(path, 0o755) }
      if (isSurelyAbsent(path)) return null
      if (disk !== null) return disk.lower.entry(disk.place(absolute))
      if (isAssumed(absolute)) return null
      throw options.unknown(path)
    },
    list(absolute) {
      const path = absolute === '/' ? '/' : portable(absolute)
      const file = known.get(path)
      const listed = file?.kind === 'folder' ? file.names : null
      if (listed === null && disk === null && !isOnlyKnown) throw options.unknown(path)
      const names = new Set(listed ?? (disk === null ? [] : namesOn(disk.lower, disk.place(absolute))))
      // What the run had created or removed before it listed the folder.
      for (const [other, { kind }] of known) {
        if (other === path || parentOf(other) !== path) continue
        if (kind === 'absent') names.delete(basename(other))
        else names.add(basename(other))
      }
      if (isOnlyKnown)
        for (const folder of folders)
          if (folder !== path && parentOf(folder) === path) names.add(basename(folder))
      return [...names]
    },
    target(absolute) {
      const file = known.get(portable(absolute))
      if (file?.kind === 'symlink') return file.target
      return disk === null ? '' : disk.lower.target(disk.place(absolute))
    },
    read(absolute, into, position) {
      const path = portable(absolute)
      const file = known.get(path)
      if (file?.kind === 'file' && file.bytes !== null) {
        const part = file.bytes().subarray(position, position + into.byteLength)
        into.set(part)
        return part.byteLength
      }
      if (disk === null) throw options.unknown(path)
      return disk.lower.read(disk.place(absolute), into, position)
    },
    assumingAbsent(isNew, make) {
      const outer = isAssumed
      isAssumed = isNew
      try {
        return make()
      } finally {
        isAssumed = outer
      }
    },
    onlyKnown(make) {
      isOnlyKnown = true
      try {
        return make()
      } finally {
        isOnlyKnown = false
      }
    },
    learn(absolute, bytes) {
      const path = portable(absolute)
      addFolders(parentOf(path))
      const before = known.get(path)
      known.set(path, {
        kind: 'file',
        bytes: () => bytes,
        sizeBytes: null,
        mode: before?.kind === 'file' ? before.mode : 0o644,
      })
    },
    isUnsure(absolute) {
      const path = portable(absolute)
      const file = known.get(path)
      return file?.kind === 'file' && file.unsure === true && !folders.has(path)
    },
  }
}

function namesOn(lower: Lower, path: string): readonly string[] {
  return lower.entry(path)?.kind === 'folder' ? lower.list(path) : []
}
