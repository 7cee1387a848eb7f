/**
 * `reprise <command>`: finds the command in a table, passes its arguments, and turns what it throws into one
 * line and an exit code.
 *
 * Decision 0520.
 */
import { fileURLToPath } from 'node:url'
import { Command as Commander, CommanderError, Option } from 'commander'
import { version } from '../base/version.ts'
import { isRepriseError } from '../errors/index.ts'
import { keepCompiled } from '../real/keep-compiled.ts'
import type { Command, CommandInput } from './command.ts'
import { createOutput, EXIT, errorLine, paintError } from './output.ts'
import { createProgress } from './progress.ts'
import { unknownTopicLine, usageLine } from './usage-error.ts'
import { whileProgramRuns } from './while-running.ts'

export type CommandTable = {
  readonly commands: readonly Command[]
  /** What the groups are, for the help. */
  readonly groups: Readonly<Record<string, string>>
  /**
   * Starts the command line that has every command. Present in a table that has some of them: it gets all
   * words that cannot be understood, requests for help, and options that need more modules (`wholeOnly`).
   */
  readonly whole?: () => Promise<void>
  /** Stores what V8 made of the running file. */
  readonly keepOwn: () => void
}

export async function runCommandLine(words: readonly string[], table: CommandTable): Promise<void> {
  const { commands, whole } = table
  whileProgramRuns(() => {
    table.keepOwn()
    keepCompiled(fileURLToPath(new URL('./cli.cjs', import.meta.url)))
    keepCompiled(fileURLToPath(new URL('../entry/engine.cjs', import.meta.url)))
    keepCompiled(fileURLToPath(new URL('../library/library.cjs', import.meta.url)))
    keepCompiled(fileURLToPath(new URL('../library/originals.cjs', import.meta.url)))
  })
  for (const stream of [process.stdout, process.stderr]) stream.on('error', forgiveClosedPipe)
  const { env } = process
  const progress = await readProgress(words)
  const output = createOutput(process.stdout, process.stderr, { env, beforeLine: progress.clear })
  const program = new Commander('reprise').description('The flight recorder for AI agents.').version(version)
  program.option('--debug', 'show the stack of an error').exitOverride()
  program.configureOutput(whole === undefined ? quiet : silent)
  const parents = new Map<string, Commander>()
  for (const command of commands) {
    // `audit <file>` and `audit check`: the word alone is the default command of its group.
    const heads = commands.some((other) => other.name.startsWith(`${command.name} `))
    const parent = parentOf(program, table, parents, heads ? `${command.name} ` : command.name)
    addCommand(parent, command, output, heads, whole)
  }
  const names = commands.map(({ name }) => name)
  const unknownTopic = unknownTopicLine(ownOptions(words), names)
  if (unknownTopic !== null) {
    process.exitCode = EXIT.usage
    process.stderr.write(`${paintError(unknownTopic, process.stderr, env)}\n`)
    return
  }
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && whole !== undefined) return whole()
    if (error instanceof CommanderError && error.exitCode === 0) return
    process.exitCode = exitCodeOf(error)
    const shown =
      error instanceof CommanderError
        ? usageLine(error, ownOptions(words), names)
        : errorLine(error, ownOptions(words).includes('--debug'))
    progress.clear()
    process.stderr.write(`${paintError(shown, process.stderr, env)}\n`)
  } finally {
    progress.clear()
  }
}

const NO_PROGRESS = { clear: () => undefined }

/** Shows how far a tape is read, on a terminal and without --quiet. */
async function readProgress(words: readonly string[]): Promise<{ clear(): void }> {
  if (!process.stderr.isTTY || ownOptions(words).includes('--quiet')) return NO_PROGRESS
  const [{ monotonicMs }, { onTapeRead }] = await Promise.all([
    import('../real/clock.ts'),
    import('../tape/reader.ts'),
  ])
  const write = (text: string): void => void process.stderr.write(text)
  const progress = createProgress({ write, nowMs: monotonicMs })
  onTapeRead(progress.report)
  return progress
}

/**
 * `reprise … | head`: a reader that has seen enough is no error; the command goes on to its end and its exit
 * code.
 */
function forgiveClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** The exit code of the running command for what Reprise could not do. */
let failure: number = EXIT.failed

/** Commander prints nothing on stderr: every error is one line of ours. */
const quiet = { outputError: () => undefined, writeErr: () => undefined }
/** Nothing at all: the whole command line prints it. */
const silent = { ...quiet, writeOut: () => undefined }

function addCommand(
  parent: Commander,
  command: Command,
  output: CommandInput['output'],
  isDefault: boolean,
  whole: CommandTable['whole'],
): void {
  const word = isDefault ? 'show' : command.name.split(' ').at(-1)
  const sub = parent
    .command(`${word} ${command.arguments}`.trim(), { isDefault })
    .description(command.help)
    .exitOverride()
  sub.configureOutput(whole === undefined ? quiet : silent).option('--debug', 'show the stack of an error')
  if (!command.options.some(({ flags }) => flags === '--quiet')) sub.option('--quiet', 'show no progress')
  const wholeOnly: string[] = []
  for (const option of command.options) {
    const added = new Option(option.flags, option.help).makeOptionMandatory(option.required === true)
    if (option.repeat === true) added.argParser((value, before: readonly string[] = []) => [...before, value])
    sub.addOption(added)
    if (option.wholeOnly === true) wholeOnly.push(added.attributeName())
  }
  sub.action(async () => {
    if (whole !== undefined && wholeOnly.some((name) => sub.getOptionValue(name) !== undefined))
      return whole()
    failure = command.failure ?? EXIT.failed
    const named = await withNamedTapes(command, sub.args, sub.optsWithGlobals())
    process.exitCode = await command.run({ ...named, output })
  })
}

function parentOf(
  program: Commander,
  { groups }: CommandTable,
  parents: Map<string, Commander>,
  name: string,
): Commander {
  const group = name.includes(' ') ? name.split(' ')[0] : undefined
  if (group === undefined) return program
  const known = parents.get(group)
  if (known !== undefined) return known
  const parent = program
    .command(group)
    .description(groups[group] ?? '')
    .exitOverride()
  parent.configureOutput(quiet)
  parents.set(group, parent)
  return parent
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return EXIT.usage
  if (isRepriseError(error) && error.code === 'usage') return EXIT.usage
  return failure
}

/** The words after `--` are the user's program. */
function ownOptions(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end < 0 ? words : words.slice(0, end)
}

type Named = Pick<CommandInput, 'arguments' | 'options'>

/** The words of the command, with the path of the newest tape for `last`. */
async function withNamedTapes(command: Command, words: string[], options: Named['options']): Promise<Named> {
  const { tapes, tapeOption = '' } = command
  const given = options[tapeOption]
  if (typeof given === 'string') {
    return { arguments: words, options: { ...options, [tapeOption]: await pathOf(given) } }
  }
  const isTape = (at: number): boolean =>
    tapes === 'all' || (tapes === 'first' && at === 0) || (tapes === 'second' && at === 1)
  const paths = words.map(async (word, at) => (isTape(at) ? pathOf(word) : word))
  return { arguments: await Promise.all(paths), options }
}

async function pathOf(tape: string): Promise<string> {
  return tape === 'last' ? (await import('./tape-names.ts')).namedTape(tape) : tape
}
