/**
 * The identity of the process, and what a mode permits. The superuser may do everything, except execute a
 * file that no one may execute.
 */
import type { LayerNode } from './node.ts'

export type Who = { readonly uid: number; readonly groups: readonly number[] }

export const READ = 4
export const WRITE = 2
export const EXECUTE = 1

export function may(who: Who, node: LayerNode, want: number): boolean {
  const { mode, uid, gid } = node.attributes
  if (who.uid === 0) return (want & EXECUTE) === 0 || node.kind === 'folder' || (mode & 0o111) !== 0
  const shift = who.uid === uid ? 6 : who.groups.includes(gid) ? 3 : 0
  return ((mode >> shift) & want) === want
}

/** In a sticky folder only the owner of the entry, or of the folder, may remove it. */
export function mayTake(who: Who, folder: LayerNode, victim: LayerNode): boolean {
  const sticky = (folder.attributes.mode & 0o1000) !== 0
  return !sticky || who.uid === 0 || who.uid === victim.attributes.uid || who.uid === folder.attributes.uid
}

export function mayChange(who: Who, node: LayerNode): boolean {
  return who.uid === 0 || who.uid === node.attributes.uid
}
