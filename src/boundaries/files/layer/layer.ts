/**
 * A copy-on-write file tree over a lower file system that is never written. The operations are those of the
 * system calls, with the same errors (`PosixFailure`, converted into a Node error by the caller).
 *
 * Guarantees: the lower file system stays unchanged. A deleted entry hides what is below it, also if a folder
 * of that name is created again. A write outside the roots fails with EROFS, whatever links lead there.
 * Memory stays below the limit. Reads outside the roots go to the lower file system. Everything else behaves
 * as in the kernel.
 *
 * Decision 0110.
 */
import { type ContentStore, createContentStore, noContent } from './content.ts'
import { diskLower } from './disk.ts'
import { fail } from './failure.ts'
import type { Attributes, Lower } from './lower.ts'
import {
  type FileNode,
  type FolderNode,
  type FolderSpot,
  isFolder,
  type LayerNode,
  type Spot,
} from './node.ts'
import { EXECUTE, may, type Who } from './rights.ts'
import { createSpill } from './spill.ts'
import { createTree, type Tree } from './tree.ts'
import { createWalk, type Walk } from './walk.ts'

export type LayerOptions = {
  /** Absolute folders; everything written must be in one of them. */
  readonly roots: readonly string[]
  readonly lower?: Lower
  readonly nowNs: () => bigint
  readonly umask: () => number
  readonly who: Who
  /** The maximum number of bytes of written files in memory; the rest goes to a temporary file. */
  readonly memoryBytes?: number
}

export type Layer = Disposable & {
  readonly tree: Tree
  readonly walk: Walk
  readonly contents: ContentStore
  readonly who: Who
  readonly nowNs: () => bigint
  readonly umask: () => number
  /** Fails with EROFS unless it is in a root. */
  needInside(spot: Spot): void
  newFile(mode: number, folder: FolderNode): FileNode
  newFolder(mode: number, folder: FolderNode): FolderNode
  newLink(target: string, folder: FolderNode): LayerNode
  /** The times of a change: of the content, or of the node only. */
  touched(node: LayerNode, what: 'content' | 'attributes'): void
  /** Removes one name; a node without a name and without a descriptor is released. */
  unlinked(node: LayerNode): void
}

/** Numbers for the layer's own inodes, far above those of file systems. */
const FIRST_INODE = 2 ** 50

export function createLayer(options: LayerOptions): Layer {
  const { lower = diskLower, who, nowNs, umask } = options
  const spill = createSpill()
  const contents = createContentStore(lower, spill, options.memoryBytes)
  const tree = createTree(lower)
  const walk = createWalk(tree, (node) => may(who, node, EXECUTE))
  const roots = new Set<LayerNode>(options.roots.map((root) => rootFolder(walk, tree, root)))
  let nextInode = FIRST_INODE

  const attributes = (mode: number, nlink: number, folder: FolderNode): Attributes => {
    const now = nowNs()
    const { dev, gid, mode: above } = folder.attributes
    const inherits = (above & 0o2000) !== 0
    const ino = nextInode
    nextInode += 1
    const times = { atimeNs: now, mtimeNs: now, ctimeNs: now, birthtimeNs: now }
    return { dev, ino, mode, nlink, uid: who.uid, gid: inherits ? gid : (who.groups[0] ?? 0), ...times }
  }

  return {
    tree,
    walk,
    contents,
    who,
    nowNs,
    umask,
    needInside(spot) {
      for (let at: Spot | null = spot; at !== null; at = at.parent) if (roots.has(at.node)) return
      fail('EROFS')
    },
    newFile: (mode, folder) => ({
      kind: 'file',
      clean: false,
      content: noContent,
      openCount: 0,
      attributes: attributes(mode & ~umask(), 1, folder),
    }),
    newFolder(mode, folder) {
      const setGroup = folder.attributes.mode & 0o2000
      return {
        kind: 'folder',
        clean: false,
        lower: null,
        entries: new Map(),
        attributes: attributes((mode & 0o1777 & ~umask()) | setGroup, 2, folder),
      }
    },
    newLink: (target, folder) => ({
      kind: 'symlink',
      clean: false,
      target,
      attributes: attributes(0o777, 1, folder),
    }),
    touched(node, what) {
      const now = nowNs()
      node.attributes.ctimeNs = now
      if (what === 'content') node.attributes.mtimeNs = now
    },
    unlinked(node) {
      node.attributes.nlink -= 1
      node.attributes.ctimeNs = nowNs()
      if (node.kind === 'file' && node.attributes.nlink <= 0 && node.openCount === 0) release(node, contents)
    },
    [Symbol.dispose]: () => spill[Symbol.dispose](),
  }
}

/** The bytes of a file that has neither a name nor a reader. */
export function release(node: FileNode, contents: ContentStore): void {
  contents.release(node.content)
  node.content = noContent
}

function rootFolder(walk: Walk, tree: Tree, path: string): FolderNode {
  const spot: FolderSpot | Spot = walk.find(path, { follow: true })
  if (!isFolder(spot)) return fail('ENOTDIR')
  // Kept from the start: it stays the root, whatever happens to its name below.
  tree.own(spot)
  return spot.node
}
