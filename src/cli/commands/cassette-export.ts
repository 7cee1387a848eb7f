/**
 * `reprise cassette export DIR --format … --out FILE`: a recording for other programs: asciicast, text, a
 * picture, or frames with all their cells.
 */
import { unreachable } from '../../base/index.ts'
import type { CassetteReader } from '../../cassette/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { momentOption, openToShow, writeNew } from '../cassette-options.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  forceOption,
  jsonOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'

const FORMATS = ['asciicast-v2', 'asciicast-v3', 'txt', 'svg', 'frames'] as const
type Format = (typeof FORMATS)[number]

export const cassetteExport: Command = {
  name: 'cassette export',
  arguments: '<dir>',
  help: 'write a recording for other programs',
  options: [
    { flags: '--format <format>', help: FORMATS.join(', '), required: true },
    { flags: '--out <file>', help: 'the new file', required: true },
    { flags: '--at <moment>', help: 'for svg: milliseconds (1500), or an event (seq:12); default: the end' },
    forceOption,
    jsonOption,
  ],
  async run(input) {
    const format = FORMATS.find((known) => known === textOption(input, 'format'))
    if (format === undefined)
      throw new RepriseError('usage', `unknown format ${textOption(input, 'format')}`, {
        hint: `one of ${FORMATS.join(', ')}`,
      })
    const reader = await openToShow(input, input.arguments[0] ?? '')
    const text = await exported(input, reader, format)
    const out = textOption(input, 'out') ?? ''
    await writeNew(input, out, text)
    if (flagOption(input, 'json')) input.output.json({ out, format, bytes: Buffer.byteLength(text) })
    else input.output.line(`${out}: ${format}, ${Buffer.byteLength(text)} bytes`)
    return EXIT.fine
  },
}

async function exported(input: CommandInput, reader: CassetteReader, format: Format): Promise<string> {
  const { castFrom, fullFrames, frameSvg, screenAt, transcript, writeCast } = await import(
    '../../cassette/index.ts'
  )
  switch (format) {
    case 'asciicast-v2':
      return writeCast(castFrom(reader), 2)
    case 'asciicast-v3':
      return writeCast(castFrom(reader), 3)
    case 'svg':
      return frameSvg(await screenAt(reader, momentOption(input)))
    case 'txt':
      return transcript(reader)
    case 'frames':
      return fullFrames(reader)
    default:
      return unreachable(format)
  }
}
