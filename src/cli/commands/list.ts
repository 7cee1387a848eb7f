/** `reprise list`: the tapes in `.reprise/` and in the working directory, newest first. */
import type { TapeHeader } from '../../tape/header.ts'
import { type Command, flagOption, jsonOption } from '../command.ts'
import { EXIT } from '../output.ts'

type Row = {
  readonly path: string
  readonly bytes: number
  /** When the recording began; for a tape that does not contain it, when the file was changed. */
  readonly at: string
  readonly command: string | null
  /** Why the header cannot be read. */
  readonly error: string | null
}

export const list: Command = {
  name: 'list',
  arguments: '[folders...]',
  help: 'list tapes, newest first: those in .reprise and in the working directory, or in other folders',
  options: [jsonOption],
  async run(input) {
    const { findTapes } = await import('../tape-names.ts')
    const { sizeText } = await import('../inspect/amounts.ts')
    const found = input.arguments.length === 0 ? findTapes() : findTapes(input.arguments)
    const rows = await Promise.all(found.map(rowOf))
    if (flagOption(input, 'json')) {
      input.output.json(rows)
      return EXIT.fine
    }
    if (rows.length === 0) input.output.note('no tapes here; record one: reprise record -- node agent.mjs')
    const width = Math.max(0, ...rows.map(({ path }) => path.length))
    for (const { path, bytes, at, command, error } of rows) {
      const facts = `${path.padEnd(width)}  ${at.slice(0, 19).replace('T', ' ')}  ${sizeText(bytes).padStart(11)}`
      input.output.line(`${facts}  ${error ?? command ?? ''}`, error === null ? 'plain' : 'warning')
    }
    return EXIT.fine
  },
}

async function rowOf(tape: import('../tape-names.ts').FoundTape): Promise<Row> {
  const { readHeader } = await import('../../tape/reader.ts')
  const { shownHeader } = await import('../../tape/root-names.ts')
  const { dateFrom } = await import('../../real/clock.ts')
  const { isRepriseError } = await import('../../errors/index.ts')
  const { path, bytes, changedMs } = tape
  try {
    const header: TapeHeader = shownHeader(readHeader(path))
    const at = dateFrom(header.startedAtUnixMs ?? changedMs).toISOString()
    return { path, bytes, at, command: header.command?.join(' ') ?? null, error: null }
  } catch (error) {
    if (!isRepriseError(error)) throw error
    return { path, bytes, at: dateFrom(changedMs).toISOString(), command: null, error: error.message }
  }
}
