/** A tree of files as the lower file system of a layer, below its own folder. */
import type { Attributes, Lower, LowerEntry } from '../../boundaries/files/layer/lower.ts'
import type { FileEntry, FileTree } from './diff/file-tree.ts'

export function treeLower(root: string, tree: FileTree): Lower {
  const entries = new Map<string, FileEntry>([['/', FOLDER]])
  const names = new Map<string, Set<string>>()
  const add = (path: string, entry: FileEntry): void => {
    const slash = path.lastIndexOf('/')
    const above = slash <= 0 ? '/' : path.slice(0, slash)
    if (!entries.has(above)) add(above, FOLDER)
    entries.set(path, entry)
    names.set(above, (names.get(above) ?? new Set()).add(path.slice(slash + 1)))
  }
  add(root, FOLDER)
  for (const [path, entry] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) add(`${root}/${path}`, entry)
  const numbers = new Map([...entries.keys()].map((path, index) => [path, index + 1]))
  return {
    entry(path) {
      const entry = entries.get(path)
      return entry === undefined ? null : lowerEntry(entry, numbers.get(path) ?? 0)
    },
    list: (path) => [...(names.get(path) ?? [])],
    target(path) {
      const entry = entries.get(path)
      return entry?.kind === 'symlink' ? entry.target : ''
    },
    read(path, into, position) {
      const entry = entries.get(path)
      if (entry?.kind !== 'file') return 0
      const part = entry.bytes.subarray(position, position + into.byteLength)
      into.set(part)
      return part.byteLength
    },
  }
}

const FOLDER: FileEntry = { kind: 'folder', mode: 0o755 }

function lowerEntry(entry: FileEntry, ino: number): LowerEntry {
  const mode = entry.kind === 'symlink' ? 0o777 : entry.mode
  const attributes: Attributes = {
    dev: 1,
    ino,
    mode,
    nlink: 1,
    uid: 0,
    gid: 0,
    atimeNs: 0n,
    mtimeNs: 0n,
    ctimeNs: 0n,
    birthtimeNs: 0n,
  }
  return entry.kind === 'file'
    ? { kind: 'file', attributes, sizeBytes: entry.bytes.byteLength }
    : { kind: entry.kind, attributes }
}
