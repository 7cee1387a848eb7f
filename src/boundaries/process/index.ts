/** Subprocesses: every way of starting one, and signals to them. */
import { allPatches, type Patch, type PatchSet } from '../patches.ts'
import { killPatches } from './kill.ts'
import { replacePatches } from './replace-process.ts'
import { spawnPatch } from './spawn.ts'
import { syncPatch } from './sync.ts'
import { functionPatches } from './timeouts.ts'

export const processSet: PatchSet = {
  atOnce: () => [syncPatch(), ...killPatches(), ...replacePatches()],
  late: [{ module: 'child_process', make: () => [spawnPatch(), ...functionPatches()] }],
}

export function processPatches(): Patch[] {
  return allPatches(processSet)
}
