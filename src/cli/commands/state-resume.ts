/** `reprise state resume`: says what a session holds, and what was handed over in it. */
import { type Command, flagOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { inSession, sessionOptions } from './state-session.ts'

export const stateResume: Command = {
  name: 'state resume',
  arguments: '',
  help: 'show a session: its keys and its handoff',
  options: sessionOptions,
  run: (input) =>
    inSession(input, async (state) => {
      const keys = await state.list()
      const handoff = keys.includes('__handoff.json') ? await state.readJson('__handoff.json') : null
      if (flagOption(input, 'json')) input.output.json({ ...state.toJSON(), keys, handoff })
      else {
        input.output.line(`session  ${state.sessionId}`)
        input.output.line(`root     ${state.root}`)
        input.output.line(`keys     ${keys.length}`)
        input.output.line(`handoff  ${handoff === null ? 'none' : 'yes'}`)
      }
      return EXIT.fine
    }),
}
