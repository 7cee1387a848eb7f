/**
 * The merged tree: looks up a name in a folder, lists a folder, and makes a node the layer's own. Handles
 * single names, not paths.
 */
import { fail } from './failure.ts'
import type { Attributes, Lower, LowerEntry } from './lower.ts'
import type { FileNode, FolderNode, FolderSpot, LayerNode, Spot } from './node.ts'

export type Tree = {
  readonly root: FolderSpot
  /** Null if nothing exists there, or it was deleted. */
  child(folder: FolderSpot, name: string): Spot | null
  names(folder: FolderNode): readonly string[]
  /** Makes it the layer's own, with every folder above it. */
  own(spot: Spot): void
  put(folder: FolderSpot, name: string, node: LayerNode): void
  /** Removes the name, and hides the lower file system's entry. */
  take(folder: FolderSpot, name: string): void
}

export function createTree(lower: Lower): Tree {
  // Files of the lower file system with several names: a change under one name is visible under the others.
  const linked = new Map<string, FileNode>()
  const top = lower.entry('/')
  if (top?.kind !== 'folder') throw new Error('the lower world has no root folder')
  const root: FolderSpot = { node: folderNode(top.attributes, '/', false), name: '', parent: null }

  const fresh = (entry: LowerEntry, path: string): LayerNode => {
    const { attributes } = entry
    switch (entry.kind) {
      case 'folder':
        return folderNode(attributes, path, true)
      case 'symlink':
        return { kind: 'symlink', attributes, clean: true, target: lower.target(path) }
      case 'other':
        return { kind: 'other', attributes, clean: true, lower: path, type: entry.type, rdev: entry.rdev }
      case 'file': {
        const id = `${attributes.dev}:${attributes.ino}`
        const known = attributes.nlink > 1 ? linked.get(id) : undefined
        if (known !== undefined) return known
        const node: FileNode = {
          kind: 'file',
          attributes,
          clean: true,
          content: lowerContent(path, entry.sizeBytes),
          openCount: 0,
        }
        if (attributes.nlink > 1) linked.set(id, node)
        return node
      }
    }
  }

  const child = (folder: FolderSpot, name: string): Spot | null => {
    const { entries, lower: below } = folder.node
    const held = entries.get(name)
    if (held === null) return null
    if (held !== undefined && !held.clean) return { node: held, name, parent: folder }
    if (below === null) return null
    const path = below === '/' ? `/${name}` : `${below}/${name}`
    const entry = lower.entry(path)
    if (entry === null) {
      entries.delete(name)
      return null
    }
    const node =
      held !== undefined && isSame(held, entry) ? refreshed(held, entry, path, lower) : fresh(entry, path)
    entries.set(name, node)
    return { node, name, parent: folder }
  }

  const own = (spot: Spot): void => {
    for (let at: Spot | null = spot; at !== null; at = at.parent) at.node.clean = false
  }

  return {
    root,
    child,
    names({ lower: below, entries }) {
      const names = new Set(below === null ? [] : lower.list(below))
      for (const [name, node] of entries) {
        if (node === null) names.delete(name)
        else if (!node.clean) names.add(name)
      }
      return [...names].sort()
    },
    own,
    put(folder, name, node) {
      own(folder)
      node.clean = false
      folder.node.entries.set(name, node)
    },
    take(folder, name) {
      own(folder)
      const { lower: below, entries } = folder.node
      const isBelow = below !== null && lower.entry(below === '/' ? `/${name}` : `${below}/${name}`) !== null
      if (isBelow) entries.set(name, null)
      else entries.delete(name)
    },
  }
}

function lowerContent(path: string, sizeBytes: number) {
  return { at: 'lower', path, sizeBytes } as const
}

function folderNode(attributes: Attributes, lower: string, clean: boolean): FolderNode {
  return { kind: 'folder', attributes, clean, lower, entries: new Map() }
}

function isSame(node: LayerNode, entry: LowerEntry): boolean {
  return (
    node.kind === entry.kind &&
    node.attributes.ino === entry.attributes.ino &&
    node.attributes.dev === entry.attributes.dev
  )
}

function refreshed(node: LayerNode, entry: LowerEntry, path: string, lower: Lower): LayerNode {
  Object.assign(node.attributes, entry.attributes)
  if (node.kind === 'file' && entry.kind === 'file') node.content = lowerContent(path, entry.sizeBytes)
  if (node.kind === 'symlink') node.target = lower.target(path)
  return node
}

/** The one entry of a name that must exist. */
export function present(spot: Spot | null): Spot {
  return spot ?? fail('ENOENT')
}
