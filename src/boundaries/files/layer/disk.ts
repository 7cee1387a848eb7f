/** The real disk as the lower file system, read through the captured functions and never written. */
import { fs } from '../../../real/fs.ts'
import { isMissing } from './failure.ts'
import type { Attributes, Lower, LowerEntry } from './lower.ts'

const TYPE_BITS = 0o170000

export const diskLower: Lower = {
  entry(path) {
    const stat = statOrNull(path)
    return stat === null ? null : entryOf(stat)
  },
  list: (path) => fs.readdirSync(path),
  target: (path) => fs.readlinkSync(path),
  read(path, into, position) {
    const fd = fs.openSync(
      path,
      fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
    )
    try {
      let filled = 0
      while (filled < into.byteLength) {
        const read = fs.readSync(fd, into, filled, into.byteLength - filled, position + filled)
        if (read === 0) break
        filled += read
      }
      return filled
    } finally {
      fs.closeSync(fd)
    }
  },
}

type BigStat = ReturnType<typeof bigStat>

function bigStat(path: string) {
  return fs.lstatSync(path, { bigint: true })
}

function statOrNull(path: string): BigStat | null {
  try {
    return bigStat(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function entryOf(stat: BigStat): LowerEntry {
  const attributes: Attributes = {
    dev: Number(stat.dev),
    ino: Number(stat.ino),
    mode: Number(stat.mode) & 0o7777,
    nlink: Number(stat.nlink),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    atimeNs: stat.atimeNs,
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    birthtimeNs: stat.birthtimeNs,
  }
  if (stat.isFile()) return { kind: 'file', attributes, sizeBytes: Number(stat.size) }
  if (stat.isDirectory()) return { kind: 'folder', attributes }
  if (stat.isSymbolicLink()) return { kind: 'symlink', attributes }
  return { kind: 'other', attributes, type: Number(stat.mode) & TYPE_BITS, rdev: Number(stat.rdev) }
}
