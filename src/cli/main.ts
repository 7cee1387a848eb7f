/** The whole command line: every command. `scripts/bundle-cli.mjs` makes `dist/cli/cli.cjs` of it. */
import { runCommandLine } from './command-line.ts'
import { commands, groups } from './commands.ts'

/** `keepOwn` stores what V8 made of the file. */
export function main(words: readonly string[], keepOwn: () => void = () => undefined): Promise<void> {
  return runCommandLine(words, { commands, groups, keepOwn })
}
