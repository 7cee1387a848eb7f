/** `reprise state sessions`: the sessions under a root. */
import { type Command, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { jsonOption, judged, rootOption } from './state-session.ts'

export const stateSessions: Command = {
  name: 'state sessions',
  arguments: '',
  help: 'list the sessions under a root',
  options: [rootOption, jsonOption],
  run: (input) =>
    judged(input, async () => {
      const { listSessions } = await import('../../state/index.ts')
      const sessions = await listSessions(textOption(input, 'root') ?? '')
      if (flagOption(input, 'json')) input.output.json({ sessions })
      else for (const session of sessions) input.output.line(session)
      return EXIT.fine
    }),
}
