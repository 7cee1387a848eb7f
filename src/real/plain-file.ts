/**
 * Reads a plain file whole. A link, a pipe or a device in its place is reported, and never waited for or
 * followed.
 */
import { fs } from './fs.ts'

const { openSync, closeSync, fstatSync, readFileSync, constants } = fs
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Null for what is there and is no plain file; other failures are the operating system's own errors. */
export function readPlainFile(path: string): Uint8Array | null {
  let file: number
  try {
    file = openSync(path, FLAGS)
  } catch (error) {
    // ELOOP is a link, ENXIO a socket or a pipe without a reader.
    if (
      error instanceof Error &&
      'code' in error &&
      ['ELOOP', 'EMLINK', 'ENXIO'].includes(String(error.code))
    )
      return null
    throw error
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : null
  } finally {
    closeSync(file)
  }
}
