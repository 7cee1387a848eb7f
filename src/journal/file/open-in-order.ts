/**
 * The files of a session, oldest first, each opened when the reader reaches it and closed when the next one
 * is opened.
 *
 * The log is opened before the parts are listed: if a rotation comes in between, the open file is the newest
 * part as well, and is taken once, last. So a reader never misses a file or meets one twice. What is written
 * after that is not part of the reading.
 */
import { fromSystemError, systemCode, withSystemErrors } from '../../errors/index.ts'
import { fs } from '../../real/index.ts'
import { listParts, type SessionFiles } from './session-files.ts'

export type OpenSessionFile = { readonly path: string; readonly handle: number; readonly isPart: boolean }

export function* openInOrder(
  files: SessionFiles,
  isDone: (path: string) => boolean = () => false,
): Generator<OpenSessionFile> {
  if (!fs.existsSync(files.dir)) return
  const log = openOrNull(files.log)
  try {
    const inode = log === null ? null : fs.fstatSync(log).ino
    for (const part of listParts(files)) {
      if (part.inode === inode || isDone(part.path)) continue
      const handle = withSystemErrors('read', part.path, () => fs.openSync(part.path, 'r'))
      try {
        yield { path: part.path, handle, isPart: true }
      } finally {
        fs.closeSync(handle)
      }
    }
    if (log !== null) yield { path: files.log, handle: log, isPart: false }
  } finally {
    if (log !== null) fs.closeSync(log)
  }
}

/** Null for a file that is not there. */
export function openOrNull(path: string): number | null {
  try {
    return fs.openSync(path, 'r')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw fromSystemError(error, 'read', path)
  }
}
