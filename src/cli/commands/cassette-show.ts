/**
 * `reprise cassette show DIR`: the screen at a moment, as text or as a picture. A showing command: names
 * damage and goes on.
 */
import type { CassetteReader, Frame, ScreenMoment } from '../../cassette/index.ts'
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

export const cassetteShow: Command = {
  name: 'cassette show',
  arguments: '<dir>',
  help: 'the screen at a moment, as text or as a picture',
  options: [
    {
      flags: '--at <moment>',
      help: 'milliseconds (1500), or an event (seq:12); default: the end, or the last full screen if the end is empty',
    },
    { flags: '--svg <file>', help: 'write the screen as a picture' },
    forceOption,
    jsonOption,
  ],
  async run(input) {
    const { frameSvg, screenAt } = await import('../../cassette/index.ts')
    const reader = await openToShow(input, input.arguments[0] ?? '')
    const moment = momentOption(input)
    const frame = await shownFrame(input, reader, moment, await screenAt(reader, moment))
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

/** A full-screen program leaves an empty screen behind: its last one shows what it did. */
async function shownFrame(
  input: CommandInput,
  reader: CassetteReader,
  moment: ScreenMoment,
  frame: Frame,
): Promise<Frame> {
  if (moment !== 'end' || frame.text.some((row) => row.trim() !== '')) return frame
  const { lastFullScreen } = await import('../../cassette/reader/screen-at.ts')
  const full = await lastFullScreen(reader)
  if (full === null) return frame
  input.output.note('the screen is empty at the end; this is the last full screen')
  return full
}
