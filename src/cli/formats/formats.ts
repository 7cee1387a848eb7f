/**
 * Every format of others, for `import` and `export`. A new one is one file in this folder and one row here.
 */
import { RepriseError } from '../../errors/index.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  forceOption,
  jsonOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'
import type { ForeignFormat } from './format.ts'
import { mcpCassette } from './mcp-cassette.ts'
import { processTape } from './process-tape.ts'

const formats: readonly ForeignFormat[] = [processTape, mcpCassette]

/**
 * `reprise import FORMAT FILE --out TAPE` and `reprise export FORMAT TAPE --out FILE`: they call different
 * functions of a format.
 */
export function conversionCommand(direction: 'import' | 'export', help: string): Command {
  const able = formats.filter((format) => format[direction] !== undefined)
  return {
    name: direction,
    arguments: '<format> <file>',
    help: `${help}: ${able.map(({ name }) => name).join(', ')}`,
    options: [
      { flags: '--out <file>', help: 'the new file', required: true },
      forceOption,
      ...able.flatMap(({ options = [] }) => options),
      jsonOption,
    ],
    ...(direction === 'export' ? { tapes: 'second' } : {}),
    run: (input) => convert(direction, able, input),
  }
}

async function convert(
  direction: 'import' | 'export',
  able: readonly ForeignFormat[],
  input: CommandInput,
): Promise<number> {
  const [name = '', file = ''] = input.arguments
  const run = able.find((format) => format.name === name)?.[direction]
  if (run === undefined) {
    throw new RepriseError('usage', `unknown format ${JSON.stringify(name)}`, {
      hint: `one of ${able.map((format) => format.name).join(', ')}`,
    })
  }
  const out = textOption(input, 'out') ?? ''
  const { count, what, notes } = await run({ input, file, out, force: flagOption(input, 'force') })
  for (const note of notes) input.output.note(note)
  if (flagOption(input, 'json')) input.output.json({ out, format: name, count, notes })
  else input.output.line(`${out}: ${count} ${what}`)
  return EXIT.fine
}
