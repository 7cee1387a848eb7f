/**
 * Open files of the layer: flags, positions, reads and writes. Its descriptors are numbered far above the
 * process's own, so that a function can distinguish them. A device or pipe of the lower file system is really
 * opened, unless the layer opens none.
 */
import { fs } from '../../../real/fs.ts'
import { fail } from './failure.ts'
import { type Layer, release } from './layer.ts'
import { placeForNew } from './names.ts'
import type { FileNode, FolderNode, OtherNode, Spot } from './node.ts'
import { may, READ, WRITE } from './rights.ts'

const FIRST_DESCRIPTOR = 1_000_000

const {
  O_ACCMODE = 3,
  O_APPEND,
  O_CREAT,
  O_DIRECTORY = 0,
  O_EXCL,
  O_NOFOLLOW = 0,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  S_IFCHR,
} = openConstants()

export type OpenFile = {
  readonly path: string
  readonly spot: Spot
  readonly flags: number
  position: number
} & (
  | { readonly kind: 'file'; readonly node: FileNode }
  | { readonly kind: 'folder'; readonly node: FolderNode }
  | { readonly kind: 'real'; readonly node: OtherNode; readonly fd: number }
)

export type OpenFiles = {
  open(path: string, flags: number, mode: number): number
  close(fd: number): void
  /** Null if it is none of ours. */
  get(fd: number): OpenFile | null
  read(file: OpenFile, into: Uint8Array, position: number | null): number
  write(file: OpenFile, bytes: Uint8Array, position: number | null): number
  truncate(file: OpenFile, sizeBytes: number): void
}

export type OpenFilesOptions = {
  readonly firstDescriptor?: number
  /** False: opening a device or a pipe fails. */
  readonly opensDevices?: boolean
}

export function createOpenFiles(
  layer: Layer,
  { firstDescriptor = FIRST_DESCRIPTOR, opensDevices = true }: OpenFilesOptions = {},
): OpenFiles {
  const files = new Map<number, OpenFile>()
  const { contents, tree, walk, who } = layer

  const find = (path: string, flags: number, mode: number): Spot => {
    if ((flags & O_CREAT) === 0)
      return (flags & O_NOFOLLOW) === 0
        ? walk.find(path, { follow: true })
        : notLink(walk.find(path, { follow: false }))
    if ((flags & O_EXCL) !== 0 || (flags & O_NOFOLLOW) !== 0) {
      const place = walk.place(path)
      if (place.trailingSlash && place.last === 'name') fail('EISDIR')
      const there = place.last === 'name' ? tree.child(place.parent, place.name) : place.parent
      if (there !== null && (flags & O_EXCL) !== 0) fail('EEXIST')
      if (there !== null) return notLink(there)
      return make(place, mode)
    }
    const { place, spot } = walk.findOrPlace(path)
    if (place.trailingSlash && place.last === 'name') fail('EISDIR')
    return spot ?? make(place, mode)
  }

  const make = (place: ReturnType<typeof walk.place>, mode: number): Spot => {
    const folder = placeForNew(layer, place, 'other')
    const node = layer.newFile(mode & 0o7777, folder.node)
    tree.put(folder, place.name, node)
    layer.touched(folder.node, 'content')
    made = true
    return { node, name: place.name, parent: folder }
  }
  // The creator of a file may use it as it was opened, whatever its mode.
  let made = false

  const allowed = (spot: Spot, flags: number): void => {
    const access = flags & O_ACCMODE
    const want =
      (access === O_WRONLY ? 0 : READ) | (access === O_RDONLY && (flags & O_TRUNC) === 0 ? 0 : WRITE)
    if (!made && !may(who, spot.node, want)) fail('EACCES')
    if ((want & WRITE) !== 0 && !(spot.node.kind === 'other' && spot.node.type === S_IFCHR))
      layer.needInside(spot)
  }

  const open = (path: string, flags: number, mode: number): OpenFile => {
    made = false
    const spot = find(path, flags, mode)
    const { node } = spot
    const shared = { path, spot, flags, position: 0 }
    if ((flags & O_DIRECTORY) !== 0 && node.kind !== 'folder') fail('ENOTDIR')
    if (node.kind === 'folder') {
      if ((flags & O_ACCMODE) !== O_RDONLY || (flags & (O_CREAT | O_TRUNC)) !== 0) fail('EISDIR')
      allowed(spot, flags)
      return { ...shared, kind: 'folder', node }
    }
    if (node.kind === 'symlink') return fail('ELOOP')
    if (node.kind === 'other' && !opensDevices) return fail('EPERM')
    allowed(spot, flags)
    if (node.kind === 'other')
      return {
        ...shared,
        kind: 'real',
        node,
        fd: fs.openSync(node.lower, flags & ~(O_CREAT | O_EXCL | O_TRUNC)),
      }
    if ((flags & O_TRUNC) !== 0 && !made) resize(spot, node, 0)
    node.openCount += 1
    return { ...shared, kind: 'file', node }
  }

  const resize = (spot: Spot, node: FileNode, sizeBytes: number): void => {
    tree.own(spot)
    node.content = contents.resize(node.content, sizeBytes)
    layer.touched(node, 'content')
  }

  return {
    open(path, flags, mode) {
      const file = open(path, flags, mode)
      let fd = firstDescriptor
      while (files.has(fd)) fd += 1
      files.set(fd, file)
      return fd
    },
    close(fd) {
      const file = files.get(fd) ?? fail('EBADF')
      files.delete(fd)
      if (file.kind === 'real') return void fs.closeSync(file.fd)
      if (file.kind === 'folder') return
      file.node.openCount -= 1
      if (file.node.openCount === 0 && file.node.attributes.nlink <= 0) release(file.node, contents)
    },
    get: (fd) => files.get(fd) ?? null,
    read(file, into, position) {
      if ((file.flags & O_ACCMODE) === O_WRONLY) fail('EBADF')
      if (file.kind === 'real') return fs.readSync(file.fd, into, 0, into.byteLength, position)
      if (file.kind === 'folder') return fail('EISDIR')
      const got = contents.read(file.node.content, into, position ?? file.position)
      if (position === null) file.position += got
      return got
    },
    write(file, bytes, position) {
      if ((file.flags & O_ACCMODE) === O_RDONLY) fail('EBADF')
      if (file.kind === 'real') return fs.writeSync(file.fd, bytes, 0, bytes.byteLength, position)
      if (file.kind === 'folder') return fail('EISDIR')
      if (bytes.byteLength === 0) return 0
      const { node } = file
      const at = (file.flags & O_APPEND) !== 0 ? node.content.sizeBytes : (position ?? file.position)
      tree.own(node.attributes.nlink > 0 ? file.spot : { ...file.spot, parent: null })
      node.content = contents.write(node.content, bytes, at)
      layer.touched(node, 'content')
      // Without the superuser's rights a write clears the set-id bits.
      if (who.uid !== 0) node.attributes.mode &= 0o1777
      if (position === null) file.position = at + bytes.byteLength
      return bytes.byteLength
    },
    truncate(file, sizeBytes) {
      if (sizeBytes < 0 || (file.flags & O_ACCMODE) === O_RDONLY || file.kind !== 'file')
        return fail('EINVAL')
      resize(
        file.node.attributes.nlink > 0 ? file.spot : { ...file.spot, parent: null },
        file.node,
        sizeBytes,
      )
    },
  }
}

function notLink(spot: Spot): Spot {
  return spot.node.kind === 'symlink' ? fail('ELOOP') : spot
}

function openConstants(): typeof fs.constants & { readonly O_ACCMODE?: number } {
  return fs.constants
}
