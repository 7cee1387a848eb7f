/** Subprocesses: every way of starting one, and signals to them. */
import type { Patch } from '../patches.ts'
import { killPatches } from './kill.ts'
import { spawnPatch } from './spawn.ts'
import { syncPatch } from './sync.ts'
import { functionPatches } from './timeouts.ts'

export function processPatches(): Patch[] {
  return [spawnPatch(), syncPatch(), ...functionPatches(), ...killPatches()]
}
