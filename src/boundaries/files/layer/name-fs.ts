/** Entries of folders, as in node:fs: create, list, move, remove, copy a file. */
import { fs } from '../../../real/fs.ts'
import { realRandomBytes } from '../../../real/random.ts'
import { inEncoding, modeBits, optionsOf, type PathArgument, pathText } from './arguments.ts'
import type { AttributeFs } from './attribute-fs.ts'
import { statOf } from './attributes.ts'
import { during, fail } from './failure.ts'
import type { FsContext } from './fs-context.ts'
import { link, mkdir, rename, rmdir, symlink, unlink } from './names.ts'
import { type FolderSpot, isFolder } from './node.ts'
import { may, READ } from './rights.ts'

type MkdirOptions = { readonly recursive?: boolean; readonly mode?: string | number }
type ReaddirOptions = {
  readonly encoding?: string | null
  readonly withFileTypes?: boolean
  readonly recursive?: boolean
}

export function createNameFs(context: FsContext, attributes: AttributeFs) {
  const { layer, shapes, absolute } = context

  const mkdirSync = (
    path: PathArgument,
    options?: MkdirOptions | string | number | null,
  ): string | undefined => {
    const { recursive = false, mode } =
      typeof options === 'object' && options !== null ? options : { mode: options }
    const text = pathText(path)
    const bits = modeBits(mode, 0o777)
    if (recursive) return mkdirAll(text, bits)
    during('mkdir', text, () => mkdir(layer, absolute(text), bits))
    return undefined
  }

  /** The first folder that was created, as Node returns it: relative if the path was. */
  const mkdirAll = (text: string, mode: number): string | undefined => {
    const whole = absolute(text)
    const ends = [...whole.matchAll(/[^/]+/g)].map((part) => part.index + part[0].length)
    let first: string | undefined
    for (const [index, end] of ends.entries()) {
      const path = whole.slice(0, end)
      const isLast = index === ends.length - 1
      during('mkdir', text, () => {
        const { spot } = layer.walk.findOrPlace(path)
        if (spot === null) {
          // A dangling link: Node creates no folder there.
          if (attributes.isLink(path)) fail('ENOENT')
          mkdir(layer, path, mode)
          first ??= (isLast ? whole : path).slice(whole.length - text.length)
        } else if (!isFolder(spot)) fail(isLast && !whole.endsWith('/') ? 'EEXIST' : 'ENOTDIR')
      })
    }
    return first
  }

  const list = (text: string): { readonly folder: FolderSpot; readonly names: readonly string[] } =>
    during('scandir', text, () => {
      const folder = layer.walk.find(absolute(text), { follow: true })
      if (!isFolder(folder)) return fail('ENOTDIR')
      if (!may(layer.who, folder.node, READ)) fail('EACCES')
      return { folder, names: layer.tree.names(folder.node) }
    })

  const readdirSync = (path: PathArgument, options?: ReaddirOptions | string | null): unknown[] => {
    const { encoding, withFileTypes = false, recursive = false } = optionsOf<ReaddirOptions>(options)
    const given = pathText(path)
    const text = (name: string): string | Buffer => inEncoding(Buffer.from(name), encoding ?? 'utf8')
    const found: unknown[] = []
    const below = (prefix: string): void => {
      const place = prefix === '' ? given : `${given}/${prefix}`
      const { folder, names } = list(place)
      for (const name of names) {
        const spot = layer.tree.child(folder, name)
        if (spot === null) continue
        const relative = prefix === '' ? name : `${prefix}/${name}`
        const { kind } = spot.node
        found.push(withFileTypes ? shapes.dirent(text(name), statOf(spot.node).mode, place) : text(relative))
        if (recursive && kind === 'folder') below(relative)
      }
    }
    below('')
    return found
  }

  const two = (
    syscall: string,
    first: PathArgument,
    second: PathArgument,
    act: (first: string, second: string) => void,
  ): void => {
    const [from, to] = [pathText(first), pathText(second)]
    during(syscall, from, () => act(absolute(from), absolute(to)), to)
  }

  return {
    mkdirSync,
    readdirSync,
    mkdtempSync(
      prefix: PathArgument,
      options?: { readonly encoding?: string | null } | string | null,
    ): string | Buffer {
      const start = pathText(prefix)
      for (;;) {
        const path = `${start}${Buffer.from(realRandomBytes(6)).toString('base64url').slice(0, 6).replaceAll(/[-_]/g, 'x')}`
        if (attributes.existsSync(path)) continue
        during('mkdtemp', `${start}XXXXXX`, () => mkdir(layer, absolute(path), 0o700))
        return inEncoding(Buffer.from(path), optionsOf(options).encoding ?? 'utf8')
      }
    },
    unlinkSync(path: PathArgument): void {
      const text = pathText(path)
      during('unlink', text, () => unlink(layer, absolute(text)))
    },
    rmdirSync(path: PathArgument): void {
      const text = pathText(path)
      during('rmdir', text, () => rmdir(layer, absolute(text)))
    },
    renameSync: (from: PathArgument, to: PathArgument): void =>
      two('rename', from, to, (first, second) => rename(layer, first, second)),
    linkSync: (from: PathArgument, to: PathArgument): void =>
      two('link', from, to, (first, second) => link(layer, first, second)),
    symlinkSync(target: PathArgument, path: PathArgument): void {
      const [from, to] = [pathText(target), pathText(path)]
      during('symlink', from, () => symlink(layer, from, absolute(to)), to)
    },
    copyFileSync(from: PathArgument, to: PathArgument, mode = 0): void {
      two('copyfile', from, to, (source, target) =>
        copyFile(context, source, target, (mode & fs.constants.COPYFILE_EXCL) !== 0),
      )
    },
  }
}

export type NameFs = ReturnType<typeof createNameFs>

/** As libuv copies: content and mode; an existing file keeps its inode. */
function copyFile({ layer, files }: FsContext, source: string, target: string, exclusive: boolean): void {
  const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants
  const from = files.open(source, O_RDONLY, 0)
  try {
    const read = files.get(from) ?? fail('EBADF')
    const { mode } = read.node.attributes
    const to = files.open(target, O_WRONLY | O_CREAT | (exclusive ? O_EXCL : 0), mode)
    try {
      const written = files.get(to) ?? fail('EBADF')
      if (read.node === written.node) return
      const { attributes } = written.node
      if (layer.who.uid === 0 || layer.who.uid === attributes.uid) attributes.mode = mode
      files.truncate(written, 0)
      if (read.kind !== 'file') {
        // Only now is a folder detected; libuv removes what it has begun.
        unlink(layer, target)
        fail(read.kind === 'folder' ? 'EISDIR' : 'EINVAL')
      }
      const piece = new Uint8Array(Math.min(1024 * 1024, read.node.content.sizeBytes + 1))
      for (let got = files.read(read, piece, null); got > 0; got = files.read(read, piece, null))
        files.write(written, piece.subarray(0, got), null)
    } finally {
      files.close(to)
    }
  } finally {
    files.close(from)
  }
}
