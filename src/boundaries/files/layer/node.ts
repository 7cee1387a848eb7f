/**
 * An entry of a folder in the layer. A node is an inode: two names may lead to one, and an open file keeps it
 * when its names are gone.
 *
 * A *clean* node only mirrors the lower file system and is read again each time; the first change makes it
 * the layer's own. In a folder `null` under a name is a whiteout: it hides the entry of the lower file system
 * and everything below it. A folder without `lower` shows nothing of the lower file system.
 */
import type { Content } from './content.ts'
import type { Attributes } from './lower.ts'

type Shared = { readonly attributes: Attributes; clean: boolean }

export type FileNode = Shared & { readonly kind: 'file'; content: Content; openCount: number }
export type FolderNode = Shared & {
  readonly kind: 'folder'
  readonly lower: string | null
  readonly entries: Map<string, LayerNode | null>
}
type LinkNode = Shared & { readonly kind: 'symlink'; target: string }
/**
 * A pipe, a socket or a device of the lower file system, opened at its own path. `type` is the file type in
 * the bits of a mode.
 */
export type OtherNode = Shared & {
  readonly kind: 'other'
  readonly lower: string
  readonly type: number
  readonly rdev: number
}

export type LayerNode = FileNode | FolderNode | LinkNode | OtherNode

/** A node and its path from `/`, without symbolic links. */
export type Spot = { readonly node: LayerNode; readonly name: string; readonly parent: FolderSpot | null }
export type FolderSpot = Spot & { readonly node: FolderNode }

export function pathOf(spot: Spot): string {
  const names: string[] = []
  for (let at: Spot = spot; at.parent !== null; at = at.parent) names.unshift(at.name)
  return `/${names.join('/')}`
}

export function isFolder(spot: Spot): spot is FolderSpot {
  return spot.node.kind === 'folder'
}
