/**
 * Options of a file call that affect the disk but not the answer (modes, flags): part of the key of a call,
 * if they differ from Node's defaults. Older tapes have none of them; their replay ignores them.
 *
 * Decision 0217.
 */
import type { Json } from '../../base/index.ts'
import { optionOf } from './described.ts'
import type { SessionFiles } from './files-of-session.ts'

type Counting = Pick<SessionFiles, 'optionsCount'>

/** `mode` as a number, wherever it is; undefined if it is the default. */
function modeOf(given: unknown, usual: number): number | undefined {
  const mode = typeof given === 'string' ? Number.parseInt(given, 8) : given
  return typeof mode === 'number' && Number.isInteger(mode) && mode !== usual ? mode : undefined
}

/** For `writeFile` and `appendFile`. */
export function writeOptions({ optionsCount }: Counting, options: unknown, usualFlag: 'w' | 'a'): Json {
  if (!optionsCount) return null
  const flag = optionOf(options, 'flag')
  const mode = modeOf(optionOf(options, 'mode'), 0o666)
  const other =
    typeof flag === 'number' || (typeof flag === 'string' && flag !== usualFlag) ? flag : undefined
  return fieldsOf({ flag: other, mode: octal(mode) })
}

/** For `open`: the flags, plus the mode of a file that it may create. */
export function openOptions({ optionsCount }: Counting, flags: Json, mode: unknown): Json {
  const given = optionsCount ? octal(modeOf(mode, 0o666)) : undefined
  return given === undefined ? flags : [flags, given]
}

/** For `mkdir`: the options that are set, and the mode. */
export function folderOptions({ optionsCount }: Counting, on: Json, options: unknown): Json {
  const mode = optionsCount
    ? octal(modeOf(typeof options === 'object' ? optionOf(options, 'mode') : options, 0o777))
    : undefined
  return mode === undefined ? on : [on, mode]
}

/** For `cp`: `on` has the options that are set; `leftOut` has what its filter rejected. */
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

/** For a call with a descriptor (`fchmod`, `fchown`, `futimes`): its numbers. */
export function numberOptions({ optionsCount }: Counting, numbers: readonly Json[]): Json {
  return optionsCount && numbers.length > 0 ? [...numbers] : null
}

/** In the usual notation: `0600`. */
function octal(mode: number | undefined): string | undefined {
  return mode === undefined ? undefined : `0${mode.toString(8)}`
}

function fieldsOf(fields: { readonly [name: string]: Json | undefined }): Json {
  const known = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return known.length === 0 ? null : Object.fromEntries(known)
}
