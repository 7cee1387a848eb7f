/** `reprise state sessions`: the sessions under a root; with `--session`, only that one, which must be there. */
import { type Command, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { jsonOption, judged, missingSession, rootOption, writerOptions } from './state-session.ts'

export const stateSessions: Command = {
  name: 'state sessions',
  arguments: '',
  help: 'list the sessions under a root',
  options: [rootOption, { flags: '--session <id>', help: 'only this one' }, ...writerOptions, jsonOption],
  run: (input) =>
    judged(input, async () => {
      const { listSessions } = await import('../../state/index.ts')
      const wanted = textOption(input, 'session')
      const found = await listSessions(textOption(input, 'root') ?? '')
      const sessions = wanted === undefined ? found : found.filter((session) => session === wanted)
      if (wanted !== undefined && sessions.length === 0) throw missingSession(wanted)
      if (flagOption(input, 'json')) input.output.json({ sessions })
      else for (const session of sessions) input.output.line(session)
      return EXIT.fine
    }),
}
