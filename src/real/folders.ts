/**
 * Folders held open, so that what lies below is reached through them and not by a path that someone can
 * re-point meanwhile: `openat` for Node.
 *
 * On Linux a name below a folder is `/proc/self/fd/N/name`: the kernel starts at the open folder, and no
 * symbolic link above can lead it away. Where that is not to be had, a name is a path, and the folder is
 * checked to be still the one that was opened just before; a race is left there. A folder that is itself a
 * symbolic link is never opened.
 */
import nodeFs from 'node:fs'
import { join } from 'node:path'

const {
  openSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readSync,
  writeSync,
  fsync: fsyncCallback,
  existsSync,
  constants,
  readdirSync,
  unlink: unlinkCallback,
  unlinkSync,
} = nodeFs

export type Folder = Disposable & {
  readonly fd: number
  /** For messages. */
  readonly path: string
  /** The place of a name in it, for a system call right now. */
  at(name: string): string
}

const DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const throughFd = process.platform === 'linux' && existsSync('/proc/self/fd')

export function openFolder(path: string): Folder {
  return hold(openSync(path, DIRECTORY), path)
}

/** A folder in a folder; null if there is none. */
export function openFolderIn(parent: Folder, name: string): Folder | null {
  try {
    return hold(openSync(parent.at(name), DIRECTORY), join(parent.path, name))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** True if it was made just now. */
export function makeFolderIn(parent: Folder, name: string, mode: number): boolean {
  try {
    mkdirSync(parent.at(name), { mode })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * The bytes of a plain file, or null if there is none. A link, a folder, a pipe is an error, and opening a
 * pipe does not wait.
 */
export function readFileIn(folder: Folder, name: string): Uint8Array | null {
  let fd: number
  try {
    fd = openSync(
      folder.at(name),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile())
      throw Object.assign(new Error(`not a plain file: ${name}`), {
        code: stat.isDirectory() ? 'EISDIR' : 'ENOTFILE',
      })
    return readWhole(fd, stat.size)
  } finally {
    closeSync(fd)
  }
}

/** Makes a new file and gives its descriptor with the bytes in it, not yet flushed. */
export function createFileIn(folder: Folder, name: string, bytes: Uint8Array, mode: number): number {
  const fd = openSync(folder.at(name), NEW_FILE, mode)
  try {
    writeAll(fd, bytes)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(fd, bytes, written)
}

/**
 * Removes files one after the other, off the main thread; one that cannot be removed stays. The folder
 * given may be closed meanwhile.
 */
export async function removeFilesAside(folder: Folder, names: readonly string[]): Promise<void> {
  // A descriptor of its own: one that is closed and given to another folder would lead the names astray.
  using own = openFolderIn(folder, '.')
  if (own === null) return
  for (const name of names)
    await new Promise<void>((resolve) => unlinkCallback(own.at(name), () => resolve()))
}

/**
 * The names in a folder that are text, with their kind. A name that is not UTF-8 cannot be a key and is left
 * out.
 */
export function namesIn(
  folder: Folder,
): readonly { readonly name: string; readonly kind: 'file' | 'folder' | 'other' }[] {
  const entries = readdirSync(throughFd ? `/proc/self/fd/${folder.fd}` : folder.path, { withFileTypes: true })
  return entries
    .filter((entry) => !entry.name.includes('\ufffd'))
    .map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other',
    }))
}

/** Removes a file; false if there was none. (`rmSync` with `force` asks twice before it acts.) */
export function removeFileIn(folder: Folder, name: string): boolean {
  try {
    unlinkSync(folder.at(name))
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

export function isIn(folder: Folder, name: string): boolean {
  return lstatSync(folder.at(name), { throwIfNoEntry: false }) !== undefined
}

export function flush(fd: number): Promise<void> {
  return new Promise((resolve, reject) =>
    fsyncCallback(fd, (error) => (error === null ? resolve() : reject(error))),
  )
}

function hold(fd: number, path: string): Folder {
  let open = true
  return {
    fd,
    path,
    at(name) {
      if (throughFd) return `/proc/self/fd/${fd}/${name}`
      const held = fstatSync(fd)
      const found = lstatSync(path)
      if (found.ino !== held.ino || found.dev !== held.dev)
        throw Object.assign(new Error(`${path} was replaced`), { code: 'ELOOP' })
      return join(path, name)
    },
    [Symbol.dispose]() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

function readWhole(fd: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let filled = 0
  while (filled < size) {
    const read = readSync(fd, bytes, filled, size - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled === size ? bytes : bytes.subarray(0, filled)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
