/**
 * The file system below the layer, which only reads it: the real disk, or an empty one. Paths are absolute
 * and without symbolic links.
 *
 * Decision 0111.
 */
/**
 * Times in nanoseconds since 1970. `mode` has the permission bits with set-id and sticky, without the file
 * type.
 */
export type Attributes = {
  dev: number
  ino: number
  mode: number
  nlink: number
  uid: number
  gid: number
  atimeNs: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  birthtimeNs: bigint
}

export type LowerEntry = { readonly attributes: Attributes } & (
  | { readonly kind: 'file'; readonly sizeBytes: number }
  | { readonly kind: 'folder' }
  | { readonly kind: 'symlink' }
  | { readonly kind: 'other'; readonly type: number; readonly rdev: number }
)

export type Lower = {
  /** Null if nothing exists there. */
  entry(path: string): LowerEntry | null
  list(path: string): readonly string[]
  target(path: string): string
  /** Returns the number of bytes; 0 at the end. */
  read(path: string, into: Uint8Array, position: number): number
}

/** A file system with only an empty `/`, and the given folders. */
export function emptyLower(folders: readonly string[] = []): Lower {
  const names = new Map<string, Set<string>>([['/', new Set()]])
  for (const folder of folders) {
    let at = '/'
    for (const name of folder.split('/').filter((part) => part !== '')) {
      names.get(at)?.add(name)
      at = at === '/' ? `/${name}` : `${at}/${name}`
      if (!names.has(at)) names.set(at, new Set())
    }
  }
  const inodes = [...names.keys()]
  return {
    entry: (path) =>
      names.has(path) ? { kind: 'folder', attributes: plainFolder(inodes.indexOf(path) + 1) } : null,
    list: (path) => [...(names.get(path) ?? [])],
    target: () => '',
    read: () => 0,
  }
}

function plainFolder(ino: number): Attributes {
  return {
    dev: 0,
    ino,
    mode: 0o755,
    nlink: 2,
    uid: 0,
    gid: 0,
    atimeNs: 0n,
    mtimeNs: 0n,
    ctimeNs: 0n,
    birthtimeNs: 0n,
  }
}
