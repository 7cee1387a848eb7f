/** `reprise completion <shell>`: prints a script that completes commands and options in bash, zsh or fish. */
import { RepriseError } from '../../errors/index.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../output.ts'

type Table = { readonly commands: readonly Command[]; readonly groups: Readonly<Record<string, string>> }

/** `table` is read when the command runs: the command itself is a row of it. */
export const completionCommand = (table: () => Table): Command => ({
  name: 'completion',
  arguments: '<shell>',
  help: 'print a completion script for bash, zsh or fish',
  options: [],
  async run(input) {
    const { commands, groups } = table()
    const { completionWords } = await import('../completion/words.ts')
    const { bashCompletion } = await import('../completion/bash.ts')
    const { zshCompletion } = await import('../completion/zsh.ts')
    const { fishCompletion } = await import('../completion/fish.ts')
    const shells = new Map([
      ['bash', bashCompletion],
      ['zsh', zshCompletion],
      ['fish', fishCompletion],
    ])
    const [shell = ''] = input.arguments
    const print = shells.get(shell)
    if (print === undefined) {
      const hint = `one of ${[...shells.keys()].join(', ')}`
      throw new RepriseError('usage', `there is no completion for ${JSON.stringify(shell)}`, { hint })
    }
    for (const line of print(completionWords(commands, groups)).trimEnd().split('\n')) input.output.line(line)
    return EXIT.fine
  },
})
