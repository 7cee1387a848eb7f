/** Reads and changes the attributes of a node: mode, owner, times. */
import { unreachable } from '../../../base/index.ts'
import { fail } from './failure.ts'
import type { Layer } from './layer.ts'
import type { LayerNode, Spot } from './node.ts'
import { may, mayChange, WRITE } from './rights.ts'

/** The fields of a `Stats`, times in nanoseconds. */
export type StatFacts = {
  readonly dev: number
  readonly ino: number
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly rdev: number
  readonly size: number
  readonly blksize: number
  readonly blocks: number
  readonly atimeNs: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly birthtimeNs: bigint
}

const BLOCK_BYTES = 4096

export function statOf(node: LayerNode): StatFacts {
  const size = sizeOf(node)
  const { mode, ...attributes } = node.attributes
  return {
    ...attributes,
    mode: typeBits(node) | mode,
    rdev: node.kind === 'other' ? node.rdev : 0,
    size,
    blksize: BLOCK_BYTES,
    blocks: Math.ceil(size / BLOCK_BYTES) * (BLOCK_BYTES / 512),
  }
}

export function chmod(layer: Layer, spot: Spot, mode: number): void {
  layer.needInside(spot)
  if (!mayChange(layer.who, spot.node)) fail('EPERM')
  layer.tree.own(spot)
  spot.node.attributes.mode = mode & 0o7777
  layer.touched(spot.node, 'attributes')
}

/** -1 leaves the value unchanged. */
export function chown(layer: Layer, spot: Spot, uid: number, gid: number): void {
  layer.needInside(spot)
  const { attributes } = spot.node
  const same = (uid === -1 || uid === attributes.uid) && (gid === -1 || layer.who.groups.includes(gid))
  if (layer.who.uid !== 0 && !(same && layer.who.uid === attributes.uid)) fail('EPERM')
  layer.tree.own(spot)
  if (uid !== -1) attributes.uid = uid
  if (gid !== -1) attributes.gid = gid
  // As the kernel does: changing the owner clears the set-id bits.
  if (spot.node.kind === 'file') attributes.mode &= (attributes.mode & 0o10) === 0 ? ~0o4000 : ~0o6000
  layer.touched(spot.node, 'attributes')
}

export function setTimes(layer: Layer, spot: Spot, atimeNs: bigint, mtimeNs: bigint): void {
  layer.needInside(spot)
  if (!mayChange(layer.who, spot.node) && !may(layer.who, spot.node, WRITE)) fail('EACCES')
  layer.tree.own(spot)
  Object.assign(spot.node.attributes, { atimeNs, mtimeNs })
  layer.touched(spot.node, 'attributes')
}

function typeBits(node: LayerNode): number {
  switch (node.kind) {
    case 'file':
      return 0o100000
    case 'folder':
      return 0o040000
    case 'symlink':
      return 0o120000
    case 'other':
      return node.type
    default:
      return unreachable(node)
  }
}

function sizeOf(node: LayerNode): number {
  switch (node.kind) {
    case 'file':
      return node.content.sizeBytes
    case 'folder':
      return BLOCK_BYTES
    case 'symlink':
      return Buffer.byteLength(node.target)
    case 'other':
      return 0
    default:
      return unreachable(node)
  }
}
