/** The network boundary: every patch that a session needs, in one list. */
import type { Patch } from '../patches.ts'
import { connectPatches } from './connect.ts'
import { fetchPatches } from './fetch.ts'
import { poolPatches } from './pools.ts'
import { uncapturedPatches } from './uncaptured.ts'

export function networkPatches(): Patch[] {
  return [...fetchPatches(), ...connectPatches(), ...poolPatches(), ...uncapturedPatches()]
}
