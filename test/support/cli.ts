/** The built command line, run as a user runs it. */
import { fileURLToPath } from 'node:url'
import { type ChildRun, runChild } from './run-child.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

/** `record` without its summary, which a test asks for by `--summary` in front. */
function quietly(args: readonly string[]): readonly string[] {
  if (args[0] === '--summary') return args.slice(1)
  return args[0] === 'record' ? ['record', '--quiet', ...args.slice(1)] : args
}

export function reprise(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<ChildRun> {
  return runChild(process.execPath, [bin, ...quietly(args)], options)
}
