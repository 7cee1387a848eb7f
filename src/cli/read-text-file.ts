/**
 * Reads a file that was named on the command line. Refuses what is no plain file: a pipe may never be written
 * to, and a device may have no end. Refuses what is too large for its purpose: files of `/proc` have no size,
 * and some of them no end. Links are followed.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'

/** The maximum size of a text. It is held whole, as bytes and as text. */
const MOST_TEXT = 128 * 2 ** 20
/** A file without a size is read up to here. */
const MOST_UNSIZED = 2 ** 20

/** The maximum size of a file with a key. */
export const MOST_KEY = 64 * 2 ** 10

export async function readTextFile(path: string, mostBytes: number = MOST_TEXT): Promise<string> {
  return (await readNamedFile(path, mostBytes)).toString('utf8')
}

/** Without `mostBytes` a file of any size is read, but no more than its size. */
export async function readNamedFile(path: string, mostBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const { fs } = await import('../real/fs.ts')
  let other: string
  try {
    const stat = fs.statSync(path)
    if (stat.isFile()) {
      if (stat.size > mostBytes) throw tooLarge(path, mostBytes)
      if (stat.size > 0) return fs.readFileSync(path)
      return readUnsized(path, Math.min(mostBytes, MOST_UNSIZED), fs)
    }
    other = 'a device'
    if (stat.isDirectory()) other = 'a folder'
    if (stat.isFIFO() || stat.isSocket()) other = 'a pipe'
  } catch (error) {
    if (error instanceof RepriseError) throw error
    throw fromSystemError(error, 'read', path)
  }
  throw notAFile(path, `it is ${other}`)
}

type Files = typeof import('../real/fs.ts')['fs']

/** Without waiting: some files of `/proc` have content only now and then. */
function readUnsized(path: string, mostBytes: number, fs: Files): Buffer {
  const file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
  try {
    // Some files of `/proc` are read in whole words only.
    const bytes = Buffer.alloc(mostBytes + 4096)
    let length = 0
    for (let count = 1; count > 0 && length < bytes.length; length += count)
      count = fs.readSync(file, bytes, length, bytes.length - length, null)
    if (length > mostBytes) throw tooLarge(path, mostBytes)
    return bytes.subarray(0, length)
  } finally {
    fs.closeSync(file)
  }
}

function tooLarge(path: string, mostBytes: number): RepriseError {
  const most = mostBytes >= 2 ** 20 ? `${mostBytes / 2 ** 20} MiB` : `${mostBytes / 2 ** 10} KiB`
  return notAFile(path, `it has more than ${most}`)
}

function notAFile(path: string, reason: string): RepriseError {
  return new RepriseError('not-a-file', `cannot read ${path}: ${reason}`, {
    details: { path },
    hint: 'name a file',
  })
}
