/**
 * One command of the command line: its words, its options, and what it does. The definition is plain data and
 * cheap to load; `run` imports what it needs when it is called, so `reprise inspect` does not pay for a PTY.
 */
import { RepriseError } from '../errors/index.ts'
import type { Output } from './output.ts'

export type CommandOption = {
  /** As shown in the help: `--out <file>`, `--json`, `--env <name...>`. */
  readonly flags: string
  readonly help: string
  readonly required?: boolean
  /** May be given more than once; each time with one value. */
  readonly repeat?: boolean
  /** Needs modules that are only in the file with every command. */
  readonly wholeOnly?: boolean
}

/** Options that several commands have in the same words. */
export const jsonOption: CommandOption = { flags: '--json', help: 'one JSON document on stdout' }
export const forceOption: CommandOption = { flags: '--force', help: 'replace an existing file' }

export type CommandInput = {
  readonly arguments: readonly string[]
  /** By long name in camelCase, as commander gives them. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
  readonly output: Output
}

export type Command = {
  /** `verify`, or `cassette record` for a command of a group. */
  readonly name: string
  /** Positional arguments as in the help: `<tape>`, `[file]`, `[cmd...]`. */
  readonly arguments: string
  readonly help: string
  readonly options: readonly CommandOption[]
  /** Which arguments are tapes, and may be `last`. */
  readonly tapes?: 'first' | 'second' | 'all'
  /** An option that names a tape; if it is given, the arguments are no tapes. */
  readonly tapeOption?: string
  /**
   * The exit code for what Reprise itself could not do; 1 by default. A command that runs a
   * program uses 125: 1 may be the exit code of the program.
   */
  readonly failure?: number
  /** Gives the exit code. */
  run(input: CommandInput): Promise<number>
}

export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name]
  return typeof value === 'string' ? value : undefined
}

export function flagOption(input: CommandInput, name: string): boolean {
  return input.options[name] === true
}

export function listOption(input: CommandInput, name: string): readonly string[] {
  const value = input.options[name]
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
}

export function integerOption(input: CommandInput, name: string): number | undefined {
  const text = textOption(input, name)
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new RepriseError('usage', `${flagOf(name)} takes a whole number, not ${JSON.stringify(text)}`, {
    hint: 'see reprise --help',
  })
}

/** `--idle-limit` for `idleLimit`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
