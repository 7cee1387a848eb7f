/**
 * `reprise state history KEY`: every version that is kept, oldest first; `--diff` compares one with another,
 * or with the present.
 */
import { dateFrom } from '../../real/index.ts'
import type { PastVersion } from '../../state/index.ts'
import { writerDocument } from '../../state/writer.ts'
import { type Command, flagOption, listOption } from '../command.ts'
import { inSession, missingKey, sessionOptions } from './state-session.ts'

export const stateHistory: Command = {
  name: 'state history',
  arguments: '<key>',
  help: 'list the versions of a key',
  options: [
    ...sessionOptions,
    {
      flags: '--diff <version...>',
      help: 'the difference from this version to the present, or to a second one',
    },
  ],
  run: (input) =>
    inSession(input, async (state) => {
      const [key = ''] = input.arguments
      const history = await state.history(key)
      if (history.length === 0) throw missingKey(key)
      const [from, to] = listOption(input, 'diff')
      const diff = from === undefined ? undefined : await state.diff(key, from, to)
      if (flagOption(input, 'json'))
        input.output.json({ key, versions: history.map(toWire), ...(diff === undefined ? {} : { diff }) })
      else if (diff === undefined) for (const past of history) input.output.line(lineOf(past))
      else for (const line of diff.split('\n').slice(0, -1)) input.output.line(line)
    }),
}

function toWire(past: PastVersion): Readonly<Record<string, unknown>> {
  return {
    version: past.version,
    writer: writerDocument(past.writer),
    updated_at: past.updatedAt,
    deleted: past.deleted,
    size_bytes: past.sizeBytes,
  }
}

function lineOf(past: PastVersion): string {
  const time = past.updatedAt === null ? '-' : dateFrom(past.updatedAt * 1000).toISOString()
  return [
    past.version,
    time,
    past.writer?.writerId ?? 'unknown',
    past.deleted ? 'deleted' : `${past.sizeBytes} bytes`,
  ].join('  ')
}
