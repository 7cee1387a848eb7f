/** `reprise state list`: the keys of a session, one per line, in the order of their bytes. */
import { type Command, flagOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { inSession, sessionOptions } from './state-session.ts'

export const stateList: Command = {
  name: 'state list',
  arguments: '',
  help: 'list the keys of a session',
  options: sessionOptions,
  run: (input) =>
    inSession(input, async (state) => {
      const keys = await state.list()
      if (flagOption(input, 'json')) input.output.json({ session_id: state.sessionId, keys })
      else for (const key of keys) input.output.line(key)
      return EXIT.fine
    }),
}
