/** The built command line, run as a user runs it. */
import { fileURLToPath } from 'node:url'
import { type ChildRun, runChild } from './run-child.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

export function reprise(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<ChildRun> {
  return runChild(process.execPath, [bin, ...args], options)
}
