/**
 * Changes of names in the layer: create, remove and move entries of folders, with the kernel's order of
 * checks.
 */
import { fail } from './failure.ts'
import type { Layer } from './layer.ts'
import { type FolderSpot, isFolder, type LayerNode, type Spot } from './node.ts'
import { EXECUTE, may, mayTake, WRITE } from './rights.ts'
import { present } from './tree.ts'
import type { Place } from './walk.ts'

const MAX_NAME_BYTES = 255

export function mkdir(layer: Layer, path: string, mode: number): void {
  const place = layer.walk.place(path)
  const folder = placeForNew(layer, place, 'folder')
  layer.tree.put(folder, place.name, layer.newFolder(mode, folder.node))
  folder.node.attributes.nlink += 1
  layer.touched(folder.node, 'content')
}

export function symlink(layer: Layer, target: string, path: string): void {
  if (target === '') fail('ENOENT')
  if (Buffer.byteLength(target) > 4095) fail('ENAMETOOLONG')
  const place = layer.walk.place(path)
  const folder = placeForNew(layer, place, 'other')
  layer.tree.put(folder, place.name, layer.newLink(target, folder.node))
  layer.touched(folder.node, 'content')
}

export function link(layer: Layer, existing: string, path: string): void {
  const from = layer.walk.find(existing, { follow: false })
  const place = layer.walk.place(path)
  const folder = placeForNew(layer, place, 'other')
  if (from.node.kind === 'folder') fail('EPERM')
  layer.needInside(from)
  layer.tree.own(from)
  layer.tree.put(folder, place.name, from.node)
  from.node.attributes.nlink += 1
  layer.touched(from.node, 'attributes')
  layer.touched(folder.node, 'content')
}

export function unlink(layer: Layer, path: string): void {
  const place = layer.walk.place(path)
  if (place.last !== 'name') fail('EISDIR')
  layer.needInside(place.parent)
  const spot = entryAt(layer, place)
  if (spot.node.kind === 'folder') fail('EISDIR')
  if (place.trailingSlash) fail('ENOTDIR')
  needChange(layer, place.parent, spot.node)
  drop(layer, place.parent, spot)
}

export function rmdir(layer: Layer, path: string): void {
  const place = layer.walk.place(path)
  if (place.last === 'dotdot') fail('ENOTEMPTY')
  if (place.last === 'dot') fail('EINVAL')
  if (place.last === 'root') fail('EBUSY')
  layer.needInside(place.parent)
  const spot = entryAt(layer, place)
  needChange(layer, place.parent, spot.node)
  const folder = isFolder(spot) ? spot.node : fail('ENOTDIR')
  if (layer.tree.names(folder).length > 0) fail('ENOTEMPTY')
  drop(layer, place.parent, spot)
}

export function rename(layer: Layer, from: string, to: string): void {
  const source = layer.walk.place(from)
  const target = layer.walk.place(to)
  if (source.last !== 'name' || target.last !== 'name') fail('EBUSY')
  layer.needInside(source.parent)
  layer.needInside(target.parent)
  const moved = entryAt(layer, source)
  const replaced = lookup(layer, target)
  if (moved.node.kind !== 'folder' && (source.trailingSlash || (target.trailingSlash && replaced === null)))
    fail('ENOTDIR')
  if (moved.node.kind !== 'folder' && target.trailingSlash) fail('ENOTDIR')
  if (isAbove(moved.node, target.parent)) fail('EINVAL')
  if (replaced !== null && isAbove(replaced.node, source.parent)) fail('ENOTEMPTY')
  if (replaced?.node === moved.node) return
  needChange(layer, source.parent, moved.node)
  if (replaced !== null) {
    needChange(layer, target.parent, replaced.node)
    if (moved.node.kind === 'folder' && replaced.node.kind !== 'folder') fail('ENOTDIR')
    if (moved.node.kind !== 'folder' && replaced.node.kind === 'folder') fail('EISDIR')
    if (isFolder(replaced) && layer.tree.names(replaced.node).length > 0) fail('ENOTEMPTY')
    drop(layer, target.parent, replaced)
  } else needWrite(layer, target.parent.node)
  move(layer, moved, source.parent, target)
}

function move(layer: Layer, moved: Spot, from: FolderSpot, target: Place): void {
  layer.tree.own(moved)
  layer.tree.take(from, moved.name)
  layer.tree.put(target.parent, target.name, moved.node)
  if (moved.node.kind === 'folder' && from.node !== target.parent.node) {
    from.node.attributes.nlink -= 1
    target.parent.node.attributes.nlink += 1
  }
  layer.touched(moved.node, 'attributes')
  layer.touched(from.node, 'content')
  layer.touched(target.parent.node, 'content')
}

function drop(layer: Layer, folder: FolderSpot, spot: Spot): void {
  layer.tree.own(spot)
  layer.tree.take(folder, spot.name)
  layer.touched(folder.node, 'content')
  if (spot.node.kind === 'folder') folder.node.attributes.nlink -= 1
  layer.unlinked(spot.node)
}

/** The folder in which a new entry is created, or the error. */
export function placeForNew(layer: Layer, place: Place, what: 'folder' | 'other'): FolderSpot {
  if (place.last !== 'name') fail('EEXIST')
  if (lookup(layer, place) !== null) fail('EEXIST')
  if (place.trailingSlash && what === 'other') fail('ENOENT')
  layer.needInside(place.parent)
  needWrite(layer, place.parent.node)
  return place.parent
}

function lookup(layer: Layer, place: Place): Spot | null {
  if (Buffer.byteLength(place.name) > MAX_NAME_BYTES) fail('ENAMETOOLONG')
  return layer.tree.child(place.parent, place.name)
}

function entryAt(layer: Layer, place: Place): Spot {
  return present(lookup(layer, place))
}

function needWrite(layer: Layer, folder: LayerNode): void {
  if (!may(layer.who, folder, WRITE | EXECUTE)) fail('EACCES')
}

function needChange(layer: Layer, folder: FolderSpot, victim: LayerNode): void {
  needWrite(layer, folder.node)
  if (!mayTake(layer.who, folder.node, victim)) fail('EPERM')
}

function isAbove(node: LayerNode, spot: Spot): boolean {
  for (let at: Spot | null = spot; at !== null; at = at.parent) if (at.node === node) return true
  return false
}
