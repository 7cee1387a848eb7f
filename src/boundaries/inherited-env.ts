/**
 * Which variables a child gets of those that the program was given, as fields of its record: none of the fields
 * if it gets all of them, else the shorter list. If the program has not read which variables there are, only the
 * names that it passes on are known.
 */
import type { InheritedEnv } from './child-contract.ts'

export type InheritedFields = { env_only?: string[]; env_without?: string[] }

export function inheritedFields(inherited: InheritedEnv | undefined): InheritedFields {
  if (inherited === undefined) return {}
  const { passed, withheld } = inherited
  if (withheld?.length === 0) return {}
  if (passed === null || (withheld !== null && withheld.length <= passed.length))
    return { env_without: [...(withheld ?? [])] }
  return { env_only: [...passed] }
}
