/**
 * The commands that run a program, without the others: a fifth of the text. `scripts/bundle-cli.mjs` makes
 * `dist/cli/run.cjs` of it. What they load while and after the program runs is in that file too: the program
 * may delete or replace the package.
 *
 * Decision 0520.
 */
import { runCommandLine } from './command-line.ts'
import { record } from './commands/record.ts'
import { replay } from './commands/replay.ts'

/** `whole` starts the command line that has every command. */
export function main(
  words: readonly string[],
  keepOwn: () => void,
  whole: () => Promise<void>,
): Promise<void> {
  return runCommandLine(words, { commands: [record, replay], groups: {}, keepOwn, whole })
}
