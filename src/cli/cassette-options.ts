/** What the cassette commands share: options of a new one, opening for a look, numbers, files to write. */
import type { CassetteReader, ScreenMoment } from '../cassette/index.ts'
import { isRepriseError, RepriseError } from '../errors/index.ts'
import { type CommandInput, type CommandOption, flagOf, flagOption, textOption } from './command.ts'
import { writeOutput } from './write-output.ts'

/** Of the commands that make a cassette. */
export const newCassetteOptions: readonly CommandOption[] = [
  { flags: '--out <dir>', help: 'the new cassette', required: true },
  { flags: '--force', help: 'replace a cassette that is there; it is kept as <dir>.previous' },
]

export function numberOption(input: CommandInput, name: string, least: number): number | undefined {
  const text = textOption(input, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < least) {
    throw new RepriseError('usage', `${flagOf(name)} ${text}: not a number from ${least} up`, {
      hint: 'see reprise cassette --help',
    })
  }
  return value
}

/**
 * For commands that show: damage beyond the format's own checks is named on stderr, and what is whole is
 * shown.
 */
export async function openToShow(input: CommandInput, path: string): Promise<CassetteReader> {
  const { open } = await import('../cassette/index.ts')
  try {
    return await open(path)
  } catch (error) {
    if (!isRepriseError(error) || error.code !== 'cassette-file-digest') throw error
    input.output.note(`${error.message} [${error.code}]`)
    return open(path, { digests: false })
  }
}

/** `1500` and `1500ms` are milliseconds, `seq:12` and `#12` the number of an event. */
export function momentOption(input: CommandInput): ScreenMoment {
  const text = textOption(input, 'at')
  if (text === undefined) return 'end'
  const seq = /^(?:seq:|#)(\d+)$/.exec(text)?.[1]
  if (seq !== undefined) return { seq: Number(seq) }
  const ms = /^(\d+(?:\.\d+)?)(?:ms)?$/.exec(text)?.[1]
  if (ms === undefined)
    throw new RepriseError('usage', `--at ${text}: no moment`, {
      hint: 'milliseconds (1500), or the number of an event (seq:12)',
    })
  return { tMs: Number(ms) }
}

export function writeNew(input: CommandInput, path: string, text: string): Promise<void> {
  return writeOutput(path, text, { isNew: !flagOption(input, 'force') })
}
