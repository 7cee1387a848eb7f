/** Reads the file of a module, past anything that is patched. */
import { fs } from './fs.ts'

const { readFileSync, realpathSync, statSync } = fs

/** Null for what is no file. Links are followed, as the loader does. */
export function readModule(path: string): Uint8Array | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null
  return readFileSync(realpathSync(path))
}
