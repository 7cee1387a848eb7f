/** `reprise state delete KEY`. A key that is not there is exit code 1. */
import { type Command, flagOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { ifVersion, inSession, missingKey, sessionOptions } from './state-session.ts'

export const stateDelete: Command = {
  name: 'state delete',
  arguments: '<key>',
  help: 'delete a key and who owned it; its history stays',
  options: sessionOptions,
  run: (input) =>
    inSession(input, async (state) => {
      const [key = ''] = input.arguments
      if (!(await state.delete(key, { ifVersion: ifVersion(input) }))) throw missingKey(key)
      if (flagOption(input, 'json')) input.output.json({ key, deleted: true })
      return EXIT.fine
    }),
}
