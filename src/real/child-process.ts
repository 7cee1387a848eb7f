/** Starting programs, captured before anything is patched. */
import childProcess from 'node:child_process'

export const realSpawn: typeof childProcess.spawn = childProcess.spawn
