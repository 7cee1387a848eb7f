/** Subprocesses: every way of starting one, and signals to them. */
import { allPatches, type Patch, type PatchSet } from '../patches.ts'
import { hookNotes } from './hook-threads.ts'
import { killPatches } from './kill.ts'
import { replacePatches } from './replace-process.ts'
import { spawnPatch } from './spawn.ts'
import { syncPatches } from './sync.ts'
import { functionPatches } from './timeouts.ts'

export const processSet: PatchSet = {
  atOnce: () => [...syncPatches(), ...killPatches(), ...replacePatches()],
  late: [
    { module: 'child_process', make: () => [spawnPatch(), ...functionPatches()] },
    { module: 'module', make: hookNotes },
  ],
}

export function processPatches(): Patch[] {
  return allPatches(processSet)
}
