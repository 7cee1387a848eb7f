/**
 * `reprise state write KEY [VALUE]`: the value is the argument, `--file`, or stdin, to the byte. `state
 * list`: the keys, one per line, in the order of their bytes. `state delete KEY`: a key that is not there is
 * exit code 1.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Command, flagOption } from '../command.ts'
import { ifVersion, inSession, missingKey, sessionOptions, valueFrom } from './state-session.ts'

export const stateWrite: Command = {
  name: 'state write',
  arguments: '<key> [value]',
  help: 'write a key (value from the argument, --file or stdin); prints the new version',
  options: [...sessionOptions, { flags: '--file <file>', help: 'take the value from this file' }],
  async run(input) {
    const [key = '', argument] = input.arguments
    const value = await valueFrom(input, argument)
    if (value === null)
      throw new RepriseError('usage', 'no value given', {
        hint: 'give it as an argument, with --file, or on stdin',
      })
    return inSession(input, async (state) => {
      const { version, conflict } = await state.write(key, value, { ifVersion: ifVersion(input) })
      if (flagOption(input, 'json')) input.output.json({ key, version, conflict: conflict?.message ?? null })
      else input.output.line(version)
    })
  },
}

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
    }),
}

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
    }),
}
