/**
 * Stores what V8 made of a file of ours next to it, for the Node that runs: the build has that for its own Node
 * only. A user who can write there can change the file itself, so this trusts no other user. A folder that cannot be
 * written to stays as it is.
 *
 * Decision 0426.
 */
import type { Script } from 'node:vm'
import { hasHarmlessFlags } from './fit-compiled.ts'
import { compiledPath } from './load-compiled.ts'

/** `script`: the file as it is loaded, so that the functions that have run are kept too. */
export function keepCompiled(path: string, script: Script | null = null): void {
  const { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } =
    process.getBuiltinModule('node:fs')
  const kept = compiledPath(path)
  // The variable by which Node's users turn its own cache off.
  if (process.env.NODE_DISABLE_COMPILE_CACHE === '1' || !existsSync(path) || existsSync(kept)) return
  // Code that was made with other flags would be there first, and no later process could use it.
  if (!hasHarmlessFlags()) return
  const { Script } = process.getBuiltinModule('node:vm')
  const made = script ?? new Script(readFileSync(path, 'latin1'), { filename: path })
  const partial = `${kept}.${process.pid}`
  try {
    writeFileSync(partial, made.createCachedData(), { flag: 'wx' })
    renameSync(partial, kept)
  } catch {
    try {
      unlinkSync(partial)
    } catch {
      // It was never made, or it is not ours.
    }
  }
}
