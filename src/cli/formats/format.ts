/**
 * A file format of others that a tape can be made from, or written as. One file per format in this folder,
 * and a row in `formats.ts`; the commands `import` and `export` know nothing else of it.
 */
import type { CommandInput, CommandOption } from '../command.ts'

type Conversion = {
  readonly input: CommandInput
  /** What is read. */
  readonly file: string
  /** What is written. */
  readonly out: string
  readonly force: boolean
}

/**
 * `what` was converted, in words (`12 subprocess(es)`); `notes` list what the other format cannot store,
 * and go to stderr.
 */
type Converted = { readonly count: number; readonly what: string; readonly notes: readonly string[] }

export type ForeignFormat = {
  readonly name: string
  readonly help: string
  /** Options beyond those that every format has. */
  readonly options?: readonly CommandOption[]
  /** A file of this format becomes a tape. */
  readonly import?: (conversion: Conversion) => Promise<Converted>
  /** A tape becomes a file of this format. */
  readonly export?: (conversion: Conversion) => Promise<Converted>
}
