/**
 * Options of a file call that make a difference to the disk and none to the answer (modes, flags): part of
 * what a call is known by, if they are not the ones that Node takes by itself. A tape from before they
 * counted knows none; its replay leaves them out.
 *
 * Decision 0217.
 */
import type { Json } from '../../base/index.ts'
import { optionOf } from './described.ts'
import type { SessionFiles } from './files-of-session.ts'

type Counting = Pick<SessionFiles, 'optionsCount'>

/** `mode` as a number, wherever it stands; undefined if it is the usual one. */
function modeOf(given: unknown, usual: number): number | undefined {
  const mode = typeof given === 'string' ? Number.parseInt(given, 8) : given
  return typeof mode === 'number' && Number.isInteger(mode) && mode !== usual ? mode : undefined
}

/** Of `writeFile` and `appendFile`. */
export function writeOptions({ optionsCount }: Counting, options: unknown, usualFlag: 'w' | 'a'): Json {
  if (!optionsCount) return null
  const flag = optionOf(options, 'flag')
  const mode = modeOf(optionOf(options, 'mode'), 0o666)
  const other =
    typeof flag === 'number' || (typeof flag === 'string' && flag !== usualFlag) ? flag : undefined
  return fieldsOf({ flag: other, mode: octal(mode) })
}

/** Of `open`: the flags alone, as ever, or with the mode of a file that it may make. */
export function openOptions({ optionsCount }: Counting, flags: Json, mode: unknown): Json {
  const given = optionsCount ? octal(modeOf(mode, 0o666)) : undefined
  return given === undefined ? flags : [flags, given]
}

/** Of `mkdir`: what was on, and its mode. */
export function folderOptions({ optionsCount }: Counting, on: Json, options: unknown): Json {
  const mode = optionsCount
    ? octal(modeOf(typeof options === 'object' ? optionOf(options, 'mode') : options, 0o777))
    : undefined
  return mode === undefined ? on : [on, mode]
}

/** Of `cp`: `on` is what was on; `leftOut` what its filter did not want. */
export function copyOptions(
  { optionsCount }: Counting,
  on: Json,
  options: unknown,
  leftOut: readonly string[],
): Json {
  if (!optionsCount) return on
  const more = {
    force: optionOf(options, 'force') === false ? false : undefined,
    preserveTimestamps: optionOf(options, 'preserveTimestamps') === true ? true : undefined,
    verbatimSymlinks: optionOf(options, 'verbatimSymlinks') === true ? true : undefined,
    mode: modeOf(optionOf(options, 'mode'), 0),
    without: leftOut.length === 0 ? undefined : [...leftOut],
  }
  const also = fieldsOf(more)
  return also === null ? on : [on, also]
}

/** Of a call for a descriptor (`fchmod`, `fchown`, `futimes`): its numbers. */
export function numberOptions({ optionsCount }: Counting, numbers: readonly Json[]): Json {
  return optionsCount && numbers.length > 0 ? [...numbers] : null
}

/** As one reads it: `0600`. */
function octal(mode: number | undefined): string | undefined {
  return mode === undefined ? undefined : `0${mode.toString(8)}`
}

function fieldsOf(fields: { readonly [name: string]: Json | undefined }): Json {
  const known = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return known.length === 0 ? null : Object.fromEntries(known)
}
