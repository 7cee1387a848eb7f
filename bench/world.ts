/** What the agent's world costs: files, and in bench/world/ whatever else is measured of it. */
import { benchFiles } from './world/files.ts'
import { benchSpawns } from './world/spawns.ts'

export async function bench(): Promise<void> {
  benchFiles()
  benchSpawns()
}
