/**
 * Attributes of files and their changes, as in node:fs: stat and its variants, access, chmod, chown, times,
 * resolved links.
 */
import { fs } from '../../../real/fs.ts'
import { inEncoding, modeBits, optionsOf, type PathArgument, pathText, timeNs } from './arguments.ts'
import { chmod, chown, type StatFacts, setTimes, statOf } from './attributes.ts'
import { during, fail, isMissing } from './failure.ts'
import type { FsContext } from './fs-context.ts'
import { pathOf, type Spot } from './node.ts'
import { may } from './rights.ts'

type StatOptions = { readonly bigint?: boolean; readonly throwIfNoEntry?: boolean }
type Time = string | number | Date
type Encoding = { readonly encoding?: string | null } | string | null

export function createAttributeFs({ layer, files, shapes, absolute }: FsContext) {
  const at = <T>(syscall: string, path: PathArgument, follow: boolean, use: (spot: Spot) => T): T => {
    const text = pathText(path)
    return during(syscall, text, () => use(layer.walk.find(absolute(text), { follow })))
  }

  const stat = (syscall: 'stat' | 'lstat') => (path: PathArgument, options?: StatOptions | null) => {
    try {
      return shapes.stats(
        at(syscall, path, syscall === 'stat', ({ node }) => statOf(node)),
        options?.bigint === true,
      )
    } catch (error) {
      if (options?.throwIfNoEntry === false && isMissing(error)) return undefined
      throw error
    }
  }

  /** A descriptor of ours; null if it is the process's own. */
  const held = (fd: number): Spot | null => {
    const file = files.get(fd)
    if (file === null) return null
    // A file without names is still a file of the root in which it was opened.
    return file.spot
  }

  const facts = (path: PathArgument, follow: boolean): StatFacts =>
    at(follow ? 'stat' : 'lstat', path, follow, ({ node }) => statOf(node))

  const realpath = (syscall: string, path: PathArgument, options?: Encoding): string | Buffer =>
    inEncoding(
      Buffer.from(at(syscall, path === '' ? '.' : path, true, pathOf)),
      optionsOf(options).encoding ?? 'utf8',
    )

  return {
    facts,
    isLink: (path: string): boolean => {
      const place = layer.walk.place(absolute(path))
      return layer.tree.child(place.parent, place.name)?.node.kind === 'symlink'
    },
    statSync: stat('stat'),
    lstatSync: stat('lstat'),
    fstatSync(fd: number, options?: StatOptions) {
      const file = files.get(fd)
      if (file === null) return fs.fstatSync(fd, options)
      return shapes.stats(statOf(file.node), options?.bigint === true)
    },
    existsSync(path: PathArgument): boolean {
      try {
        at('access', path, true, () => undefined)
        return true
      } catch {
        // Anything that cannot be reached returns false, as in Node.
        return false
      }
    },
    accessSync(path: PathArgument, mode?: number): void {
      at('access', path, true, ({ node }) => {
        if (!may(layer.who, node, (mode ?? 0) & 7)) fail('EACCES')
      })
    },
    readlinkSync(path: PathArgument, options?: Encoding): string | Buffer {
      const target = at('readlink', path, false, ({ node }) =>
        node.kind === 'symlink' ? node.target : fail('EINVAL'),
      )
      return inEncoding(Buffer.from(target), optionsOf(options).encoding ?? 'utf8')
    },
    realpathSync: Object.assign(
      (path: PathArgument, options?: Encoding) => realpath('lstat', path, options),
      {
        native: (path: PathArgument, options?: Encoding) => realpath('realpath', path, options),
      },
    ),
    chmodSync: (path: PathArgument, mode: string | number): void =>
      at('chmod', path, true, (spot) => chmod(layer, spot, modeBits(mode, 0))),
    fchmodSync(fd: number, mode: string | number): void {
      const spot = held(fd)
      if (spot === null) return void fs.fchmodSync(fd, mode)
      during('fchmod', undefined, () => chmod(layer, spot, modeBits(mode, 0)))
    },
    chownSync: (path: PathArgument, uid: number, gid: number): void =>
      at('chown', path, true, (spot) => chown(layer, spot, uid, gid)),
    lchownSync: (path: PathArgument, uid: number, gid: number): void =>
      at('lchown', path, false, (spot) => chown(layer, spot, uid, gid)),
    fchownSync(fd: number, uid: number, gid: number): void {
      const spot = held(fd)
      if (spot === null) return void fs.fchownSync(fd, uid, gid)
      during('fchown', undefined, () => chown(layer, spot, uid, gid))
    },
    utimesSync: (path: PathArgument, atime: Time, mtime: Time): void =>
      at('utime', path, true, (spot) => setTimes(layer, spot, timeNs(atime), timeNs(mtime))),
    lutimesSync: (path: PathArgument, atime: Time, mtime: Time): void =>
      at('lutime', path, false, (spot) => setTimes(layer, spot, timeNs(atime), timeNs(mtime))),
    futimesSync(fd: number, atime: Time, mtime: Time): void {
      const spot = held(fd)
      if (spot === null) return void fs.futimesSync(fd, atime, mtime)
      during('futime', undefined, () => setTimes(layer, spot, timeNs(atime), timeNs(mtime)))
    },
  }
}

export type AttributeFs = ReturnType<typeof createAttributeFs>
