/** `reprise cassette show DIR`: the screen at a moment, as text or as a picture. A showing command: names damage and goes on. */
import { momentOption, openToShow, writeNew } from '../cassette-options.ts'
import { type Command, flagOption, forceOption, jsonOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const cassetteShow: Command = {
  name: 'cassette show',
  arguments: '<dir>',
  help: 'the screen at a moment, as text or as a picture',
  options: [
    { flags: '--at <moment>', help: 'milliseconds (1500), or an event (seq:12); default: the end' },
    { flags: '--svg <file>', help: 'write the screen as a picture' },
    forceOption,
    jsonOption,
  ],
  async run(input) {
    const { frameSvg, screenAt } = await import('../../cassette/index.ts')
    const reader = await openToShow(input, input.arguments[0] ?? '')
    const frame = await screenAt(reader, momentOption(input))
    const svg = textOption(input, 'svg')
    if (svg !== undefined) await writeNew(input, svg, frameSvg(frame))
    if (flagOption(input, 'json')) {
      const { cells: _, ...shown } = frame
      input.output.json(shown)
    } else if (svg === undefined) {
      const last = frame.text.findLastIndex((row) => row !== '')
      for (const row of frame.text.slice(0, last + 1)) input.output.line(row)
    }
    return EXIT.fine
  },
}
