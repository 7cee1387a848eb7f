/**
 * The file system, captured before anything is patched. Copies of the functions, so that a recorder patching `node:fs` later does not record
 * Reprise itself.
 */
import nodeFs from 'node:fs'

export const fs: typeof nodeFs = { ...nodeFs, promises: { ...nodeFs.promises } }
