import type { Kind, TapeRecord } from '../../tape/index.ts'

/** A subprocess of a tape that has only its `process_spawn` record. */
export type ForeignSpawn = {
  readonly seq: number
  readonly kind: Kind<'process_spawn'>
  readonly record: TapeRecord
}

/** True for one without an effect or a call of ours. */
export function isForeignSpawn(kind: Kind<'process_spawn'>): boolean {
  if (kind.of !== undefined || kind.key !== undefined) return false
  return !(typeof kind.io === 'object' && kind.io !== null && 'effect' in kind.io)
}
