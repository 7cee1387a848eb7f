/**
 * Collects the files that a run changes: each as it was before the first change, and as it is at the end.
 * That is enough for a diff, whatever happened in between.
 *
 * Paths are those of the files themselves, with links resolved, relative to the first root (`$ROOT1/…` in a
 * further one). Files outside the roots are not reported. A file above the limit is reported without its
 * content.
 *
 * Decision 0113.
 */
import { dirname, join, resolve } from 'node:path'

/** The content of a large file is read in pieces. */
export type FileContent = Uint8Array | { readonly pieces: Iterable<Uint8Array> } | null
type FileState =
  | { readonly state: 'file'; readonly mode: number; readonly content: FileContent }
  | { readonly state: 'folder'; readonly mode: number }
  | { readonly state: 'symlink'; readonly target: string }

/** The file system that is read: the disk, or a layer over it. */
export type FileView = {
  lstat(path: string): { readonly mode: number; readonly size: number } | null
  readlink(path: string): string
  /** Null if nothing exists there. */
  realpath(path: string): string | null
  /** Null if it may not be read. */
  read(path: string): Uint8Array | null
  /** The content of a file of this size if it is large, else null. */
  pieces(path: string, sizeBytes: number): Iterable<Uint8Array> | null
  names(path: string): readonly string[]
}

export type OnFileState = (when: 'before' | 'after', path: string, state: FileState) => void

export type ChangedFiles = {
  /**
   * A change of this path is about to happen; with `deep`, of everything below it too. `follow`: of the
   * target of a link.
   */
  touch(absolute: string, how: { readonly deep?: boolean; readonly follow?: boolean }): void
  /** A folder is about to be created, with its missing parents. An existing folder stays unchanged. */
  touchNew(absolute: string): void
  /** A folder was just created that did not exist before. */
  touchMade(absolute: string): void
  /** Reports the current state of everything that was touched. */
  end(): void
}

const MAX_KEPT_BYTES = 64 * 1024 * 1024
const TYPE_BITS = 0o170000

export type ChangedFilesOptions = {
  readonly roots: readonly string[]
  readonly files: FileView
  readonly onState: OnFileState
  /** Skipped when everything below a folder is reported. */
  readonly isLeftOut?: (path: string) => boolean
  readonly maxBytes?: number
}

export function createChangedFiles({
  roots,
  files,
  onState,
  isLeftOut = () => false,
  maxBytes = MAX_KEPT_BYTES,
}: ChangedFilesOptions): ChangedFiles {
  const places = roots.map((root) => files.realpath(root) ?? resolve(root))
  const touched = new Map<string, 'shallow' | 'deep'>()

  const nameOf = (path: string): string | null => {
    for (const [index, root] of places.entries()) {
      if (!path.startsWith(`${root === '/' ? '' : root}/`) || path === root) continue
      const rest = path.slice(root === '/' ? 1 : root.length + 1)
      return index === 0 ? rest : `$ROOT${index}/${rest}`
    }
    return null
  }

  /**
   * The path with the links above its last name resolved. A path that does not exist yet is named by its
   * nearest existing folder.
   */
  const canonical = (path: string): string => {
    const above = dirname(path)
    if (above === path) return path
    return join(files.realpath(above) ?? canonical(above), path.slice(above === '/' ? 1 : above.length + 1))
  }

  const isCovered = (path: string): boolean => {
    for (let at = path; ; at = dirname(at)) {
      if (touched.get(at) === 'deep') return true
      if (at === dirname(at)) return false
    }
  }

  const contentOf = (path: string, sizeBytes: number): FileContent => {
    const pieces = files.pieces(path, sizeBytes)
    return pieces === null ? files.read(path) : { pieces }
  }

  const stateOf = (path: string): FileState | null => {
    const stat = files.lstat(path)
    if (stat === null) return null
    const mode = stat.mode & 0o7777
    switch (stat.mode & TYPE_BITS) {
      case 0o100000:
        return { state: 'file', mode, content: stat.size > maxBytes ? null : contentOf(path, stat.size) }
      case 0o040000:
        return { state: 'folder', mode }
      case 0o120000:
        return { state: 'symlink', target: files.readlink(path) }
      default:
        // A pipe, a socket, a device: no content, no diff.
        return null
    }
  }

  const reportOne = (when: 'before' | 'after', path: string, name: string, reported: Set<string>): void => {
    if (reported.has(path)) return
    // Also if nothing exists there: a file created later did not exist before.
    reported.add(path)
    const state = stateOf(path)
    if (state !== null) onState(when, name, state)
  }

  const report = (when: 'before' | 'after', path: string, deep: boolean, reported: Set<string>): void => {
    const name = nameOf(path)
    if (name === null) return
    const isKnown = reported.has(path) && (when === 'after' || touched.get(path) === 'deep')
    reportOne(when, path, name, reported)
    if (!deep || isKnown || !isFolder(files.lstat(path))) return
    for (const each of files.names(path))
      if (!isLeftOut(join(path, each))) report(when, join(path, each), true, reported)
  }

  const before = new Set<string>()
  /** Names known to lead to a reported file: a file that is written a thousand times is resolved once. */
  const written = new Set<string>()
  const touchAt = (path: string, deep: boolean): void => {
    if (isCovered(path) || (touched.has(path) && !deep) || nameOf(path) === null) return
    report('before', path, deep, before)
    touched.set(path, deep ? 'deep' : 'shallow')
  }

  return {
    touch(absolute, { deep = false, follow = false }) {
      // A call that removes names or creates links may change where an old name leads.
      if (!follow) written.clear()
      if (written.has(absolute)) return
      const path = canonical(absolute)
      touchAt(path, deep)
      const stat = follow ? files.lstat(path) : null
      if (stat === null || (stat.mode & TYPE_BITS) !== 0o120000) {
        if (follow) written.add(absolute)
        return
      }
      touchAt(files.realpath(path) ?? canonical(resolve(dirname(path), files.readlink(path))), deep)
    },
    touchNew(absolute) {
      let path = canonical(absolute)
      if (files.lstat(path) !== null) return
      for (let above = dirname(path); above !== path && files.lstat(above) === null; above = dirname(path))
        path = above
      touchAt(path, true)
    },
    touchMade(absolute) {
      const path = canonical(absolute)
      if (isCovered(path) || nameOf(path) === null) return
      before.add(path)
      touched.set(path, 'deep')
    },
    end() {
      const reported = new Set<string>()
      for (const [path, how] of [...touched].sort(([a], [b]) => (a < b ? -1 : 1)))
        report('after', path, how === 'deep', reported)
    },
  }
}

function isFolder(stat: { readonly mode: number } | null): boolean {
  return stat !== null && (stat.mode & TYPE_BITS) === 0o040000
}
