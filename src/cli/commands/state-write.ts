/** `reprise state write KEY [VALUE]`: the value is the argument, `--file`, or stdin, to the byte. */
import { RepriseError } from '../../errors/index.ts'
import { type Command, flagOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { ifVersion, inSession, sessionOptions, valueFrom } from './state-session.ts'

export const stateWrite: Command = {
  name: 'state write',
  arguments: '<key> [value]',
  help: 'write a key (value from the argument, --file or stdin); prints the new version',
  options: [...sessionOptions, { flags: '--file <file>', help: 'take the value from this file' }],
  async run(input) {
    const [key = '', argument] = input.arguments
    const value = await valueFrom(input, argument)
    if (value === null) throw new RepriseError('usage', 'no value given', { hint: 'give it as an argument, with --file, or on stdin' })
    return inSession(input, async (state) => {
      const { version, conflict } = await state.write(key, value, { ifVersion: ifVersion(input) })
      if (flagOption(input, 'json')) input.output.json({ key, version, conflict: conflict?.message ?? null })
      else input.output.line(version)
      return EXIT.fine
    })
  },
}
