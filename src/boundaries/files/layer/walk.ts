/**
 * Resolves a path as the kernel does: name by name, `..` after following links, at most 40 links. The caller
 * decides whether a last link is followed.
 */
import { fail } from './failure.ts'
import { type FolderSpot, isFolder, type LayerNode, type Spot } from './node.ts'
import { present, type Tree } from './tree.ts'

const MAX_LINKS = 40
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4095

/**
 * Where a name is, or would be. `last` is the kind of the path's end: a name, or something that is always a
 * folder.
 */
export type Place = {
  readonly parent: FolderSpot
  readonly name: string
  readonly last: 'name' | 'dot' | 'dotdot' | 'root'
  readonly trailingSlash: boolean
}

export type Walk = {
  /** Follows everything but the last name. */
  place(path: string): Place
  /** The node at the end of the path. A trailing slash follows a link, and requires a folder. */
  find(path: string, options: { readonly follow: boolean }): Spot
  /**
   * Follows links: returns the existing node, or the place where it would be created. The caller handles a
   * trailing slash.
   */
  findOrPlace(path: string): { readonly place: Place; readonly spot: Spot | null }
}

type MaySearch = (node: LayerNode) => boolean

export function createWalk(tree: Tree, maySearch: MaySearch): Walk {
  const go = (start: FolderSpot, path: string, budget: { links: number }): Place => {
    if (path === '') fail('ENOENT')
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) fail('ENAMETOOLONG')
    const names = path.split('/').filter((name) => name !== '')
    const trailingSlash = path.endsWith('/') && names.length > 0
    let at = path.startsWith('/') ? tree.root : start
    const final = names.pop()
    for (const name of names) at = step(at, name, budget)
    if (final === undefined) return { parent: at, name: '', last: 'root', trailingSlash }
    enter(at)
    return {
      parent: at,
      name: final,
      last: final === '.' ? 'dot' : final === '..' ? 'dotdot' : 'name',
      trailingSlash,
    }
  }

  const enter = (at: Spot): FolderSpot => {
    if (!isFolder(at)) return fail('ENOTDIR')
    if (!maySearch(at.node)) fail('EACCES')
    return at
  }

  /** One name in the middle: a link is followed, and the end must be a folder. */
  const step = (at: FolderSpot, name: string, budget: { links: number }): FolderSpot => {
    enter(at)
    const spot = present(look(at, name))
    const end = spot.node.kind === 'symlink' ? follow(spot, budget) : spot
    return isFolder(end) ? end : fail('ENOTDIR')
  }

  const look = (at: FolderSpot, name: string): Spot | null => {
    if (name === '.') return at
    if (name === '..') return at.parent ?? at
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) fail('ENAMETOOLONG')
    return tree.child(at, name)
  }

  const follow = (link: Spot, budget: { links: number }): Spot => present(followed(link, budget).spot)

  const followed = (
    link: Spot,
    budget: { links: number },
  ): { readonly place: Place; readonly spot: Spot | null } => {
    if (link.node.kind !== 'symlink' || link.parent === null) return fail('EINVAL')
    budget.links += 1
    if (budget.links > MAX_LINKS) fail('ELOOP')
    return end(go(link.parent, link.node.target, budget), budget)
  }

  /** A place whose last name is looked up, and followed while it is a link. */
  const end = (
    place: Place,
    budget: { links: number },
  ): { readonly place: Place; readonly spot: Spot | null } => {
    const spot = at(place)
    if (spot === null) return { place, spot }
    const reached = spot.node.kind === 'symlink' ? followed(spot, budget) : { place, spot }
    return place.trailingSlash ? { ...reached, place: { ...reached.place, trailingSlash: true } } : reached
  }

  const at = (place: Place): Spot | null =>
    place.last === 'root' ? place.parent : look(place.parent, place.name)

  return {
    place: (path) => go(tree.root, path, { links: 0 }),
    find(path, options) {
      const budget = { links: 0 }
      const place = go(tree.root, path, budget)
      if (!options.follow && !place.trailingSlash) return present(at(place))
      const reached = end(place, budget)
      const spot = present(reached.spot)
      return reached.place.trailingSlash && spot.node.kind !== 'folder' ? fail('ENOTDIR') : spot
    },
    findOrPlace(path) {
      const budget = { links: 0 }
      return end(go(tree.root, path, budget), budget)
    },
  }
}
