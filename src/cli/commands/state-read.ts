/**
 * `reprise state read KEY`: the content to the byte; on a terminal, where bytes could act, with control
 * characters made visible. With `--json` its version and owner too.
 */
import { printable, textOrNull } from '../../base/index.ts'
import type { Entry } from '../../state/index.ts'
import { writerDocument } from '../../state/writer.ts'
import { type Command, type CommandInput, flagOption, textOption } from '../command.ts'
import { inSession, missingKey, sessionOptions } from './state-session.ts'

export const stateRead: Command = {
  name: 'state read',
  arguments: '<key>',
  help: 'print what a key holds',
  options: [...sessionOptions, { flags: '--at <version>', help: 'an older version, as history lists it' }],
  run: (input) =>
    inSession(input, async (state) => {
      const [key = ''] = input.arguments
      const at = textOption(input, 'at')
      if (at !== undefined) {
        const content = await state.readVersion(key, at)
        show(input, key, { content, version: at, writer: null, updatedAt: null })
        return
      }
      const entry = await state.entry(key)
      if (entry === null) throw missingKey(key)
      show(input, key, entry)
    }),
}

function show(
  input: CommandInput,
  key: string,
  entry: Omit<Entry, 'version' | 'hash'> & { readonly version: string },
): void {
  const text = textOrNull(entry.content)
  if (flagOption(input, 'json')) {
    const content =
      text === null ? { content_base64: Buffer.from(entry.content).toString('base64') } : { content: text }
    input.output.json({
      key,
      version: entry.version,
      writer: writerDocument(entry.writer),
      updated_at: entry.updatedAt,
      ...content,
    })
  } else if (process.stdout.isTTY === true) {
    const lines = (text ?? Buffer.from(entry.content).toString('latin1')).split('\n')
    process.stdout.write(lines.map((line) => printable(line, 100_000)).join('\n'))
  } else process.stdout.write(entry.content)
}
