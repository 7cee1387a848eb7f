/**
 * The environment: variables, and facts of process and machine. argv, time zone and locale are in the
 * header of a tape.
 */
import type { Patch } from '../patches.ts'
import { factPatches } from './facts.ts'
import { envPatch } from './process-env.ts'
import { settingPatches } from './settings.ts'

export function envPatches(): Patch[] {
  return [envPatch(), ...factPatches(), ...settingPatches()]
}
