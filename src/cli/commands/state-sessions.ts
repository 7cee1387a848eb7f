/**
 * `reprise state init` makes a session, or opens it, and prints its id. `state resume` shows what a session
 * holds, and its last handoff. `state sessions` lists the sessions under a root; with `--session`,
 * only that one, which must be there.
 */
import { type Command, flagOption, jsonOption, textOption } from '../command.ts'
import {
  inSession,
  judged,
  missingSession,
  rootOf,
  rootOption,
  sessionOf,
  sessionOptions,
  stateOptions,
  writerOptions,
} from './state-session.ts'

export const stateInit: Command = {
  name: 'state init',
  arguments: '',
  help: 'make a session (its id is printed)',
  options: [
    rootOption,
    {
      flags: '--session <id>',
      help: 'its id (default: what REPRISE_STATE has after a #, else a fresh UUIDv7)',
    },
    ...writerOptions,
    jsonOption,
  ],
  run: (input) =>
    judged(input, async () => {
      const { initState } = await import('../../state/index.ts')
      await using state = await initState(rootOf(input), {
        ...stateOptions(input),
        sessionId: sessionOf(input),
      })
      if (flagOption(input, 'json')) input.output.json(state)
      else input.output.line(state.sessionId)
    }),
}

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
    }),
}

export const stateSessions: Command = {
  name: 'state sessions',
  arguments: '',
  help: 'list the sessions under a root',
  options: [rootOption, { flags: '--session <id>', help: 'only this one' }, ...writerOptions, jsonOption],
  run: (input) =>
    judged(input, async () => {
      const { listSessions } = await import('../../state/index.ts')
      const wanted = textOption(input, 'session')
      const found = await listSessions(rootOf(input))
      const sessions = wanted === undefined ? found : found.filter((session) => session === wanted)
      if (wanted !== undefined && sessions.length === 0) throw missingSession(wanted)
      if (flagOption(input, 'json')) input.output.json({ sessions })
      else for (const session of sessions) input.output.line(session)
    }),
}
