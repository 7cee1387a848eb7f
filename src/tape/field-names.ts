/** Which fields of a kind have a property of their type in common. */
import type { Field } from './fields.ts'
import { type KindName, kinds } from './kinds.ts'
import type { Fields } from './upstream-kinds.ts'

/** The fields of a kind for which `select` returns true, computed at the first call for that kind. */
export function fieldNames(
  select: (field: Field<unknown>) => boolean,
): (kind: KindName) => readonly string[] {
  const known = new Map<KindName, readonly string[]>()
  return (kind) => {
    const names = known.get(kind)
    if (names !== undefined) return names
    const fields: Fields = kinds[kind]
    const selected = Object.keys(fields).filter((name) => fields[name] !== undefined && select(fields[name]))
    known.set(kind, selected)
    return selected
  }
}
