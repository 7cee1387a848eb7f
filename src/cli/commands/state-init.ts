/** `reprise state init`: makes a session, or opens it, and says which. */
import { type Command, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { jsonOption, judged, rootOption, stateOptions, writerOptions } from './state-session.ts'

export const stateInit: Command = {
  name: 'state init',
  arguments: '',
  help: 'make a session (its id is printed)',
  options: [rootOption, { flags: '--session <id>', help: 'its id; a fresh UUIDv7 unless given' }, ...writerOptions, jsonOption],
  run: (input) =>
    judged(input, async () => {
      const { initState } = await import('../../state/index.ts')
      await using state = await initState(textOption(input, 'root') ?? '', { ...stateOptions(input), sessionId: textOption(input, 'session') })
      if (flagOption(input, 'json')) input.output.json(state)
      else input.output.line(state.sessionId)
      return EXIT.fine
    }),
}
