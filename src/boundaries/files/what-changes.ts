/** Which files a call of `node:fs` is about to change, by its name: one row for each function that writes. */
import { fs } from '../../real/fs.ts'

export type Touch = {
  readonly path: string
  readonly deep?: boolean
  readonly follow?: boolean
  readonly made?: boolean
}

const READS = new Set([
  'readFile',
  'stat',
  'lstat',
  'fstat',
  'read',
  'readv',
  'readdir',
  'opendir',
  'exists',
  'access',
  'realpath',
  'readlink',
  'close',
])

/** False for calls that certainly change nothing. */
export function changes(name: string): boolean {
  return !READS.has(name)
}

/** `given` are the files as the program named them, `args` the arguments of the function. */
export function whatChanges(
  name: string,
  given: readonly string[],
  args: readonly unknown[],
): readonly Touch[] {
  const [first = '', second = ''] = given
  switch (name) {
    case 'writeFile':
    case 'appendFile':
      // With a descriptor: it was reported when that was opened.
      return typeof args[0] === 'number' ? [] : [{ path: first, follow: true }]
    case 'open':
      return writes(args[1]) ? [{ path: first, follow: true }] : []
    case 'truncate':
    case 'chmod':
    case 'fchmod':
      return [{ path: first, follow: true }]
    case 'lchmod':
    case 'unlink':
      return [{ path: first }]
    case 'rm':
    case 'rmdir':
      return [{ path: first, deep: true }]
    case 'mkdir':
      return [{ path: first, made: true }]
    case 'rename':
      return [
        { path: first, deep: true },
        { path: second, deep: true },
      ]
    case 'copyFile':
      // The source of a copy is reported too: a replay has nothing else to copy from.
      return [
        { path: first, follow: true },
        { path: second, follow: true },
      ]
    case 'cp':
      return [
        { path: first, deep: true },
        { path: second, deep: true },
      ]
    case 'link':
      return [{ path: first }, { path: second }]
    case 'symlink':
      return [{ path: second }]
    default:
      return []
  }
}

/** Whether a file that is opened with these flags keeps the content that it has. */
export function onlyAppends(flags: unknown): boolean {
  const { O_APPEND, O_TRUNC, O_EXCL } = fs.constants
  if (typeof flags === 'number') return (flags & (O_APPEND | O_TRUNC | O_EXCL)) === O_APPEND
  return typeof flags === 'string' && /^s?a[s+]*$/.test(flags)
}

function writes(flags: unknown): boolean {
  if (typeof flags === 'number')
    return (
      (flags &
        (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC)) !==
      0
    )
  return typeof flags === 'string' && flags !== 'r' && flags !== 'rs' && flags !== 'sr'
}
