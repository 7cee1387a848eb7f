/** `reprise <command>`: finds the command, hands it its words, and turns what it throws into one line and an exit code. */
import { Command as Commander, CommanderError, Option } from 'commander'
import { printable } from '../base/index.ts'
import { version } from '../base/version.ts'
import { isRepriseError } from '../errors/index.ts'
import type { Command, CommandInput } from './command.ts'
import { commands, groups } from './commands.ts'
import { createOutput, EXIT, errorLine } from './output.ts'

export async function main(words: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', forgiveClosedPipe)
  const output = createOutput(process.stdout, process.stderr)
  const program = new Commander('reprise').description('The flight recorder for AI agents.').version(version)
  program.option('--debug', 'show the stack of an error').exitOverride()
  program.configureOutput(quiet)
  const parents = new Map<string, Commander>()
  for (const command of commands) {
    // `audit <file>` beside `audit check`: the word alone is the default command of its group.
    const heads = commands.some((other) => other.name.startsWith(`${command.name} `))
    addCommand(parentOf(program, parents, heads ? `${command.name} ` : command.name), command, output, heads)
  }
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    process.exitCode = exitCodeOf(error)
    const shown = error instanceof CommanderError ? usageLine(error) : errorLine(error, ownOptions(words).includes('--debug'))
    process.stderr.write(`${shown}\n`)
  }
}

/** `reprise … | head`: a reader that has seen enough is no error; the command goes on to its end and its exit code. */
function forgiveClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** The exit code of the running command for what Reprise could not do. */
let failure: number = EXIT.couldNot

/** Commander says nothing on stderr itself: every error is our one line. */
const quiet = { outputError: () => undefined, writeErr: () => undefined }

function addCommand(parent: Commander, command: Command, output: CommandInput['output'], isDefault: boolean): void {
  const word = isDefault ? 'show' : command.name.split(' ').at(-1)
  const sub = parent.command(`${word} ${command.arguments}`.trim(), { isDefault }).description(command.help).exitOverride()
  sub.configureOutput(quiet).option('--debug', 'show the stack of an error')
  for (const option of command.options) {
    const added = new Option(option.flags, option.help).makeOptionMandatory(option.required === true)
    if (option.repeat === true) added.argParser((value, before: readonly string[] = []) => [...before, value])
    sub.addOption(added)
  }
  sub.action(async () => {
    const words = sub.args
    failure = command.failure ?? EXIT.couldNot
    process.exitCode = await command.run({ arguments: words, options: sub.optsWithGlobals(), output })
  })
}

function parentOf(program: Commander, parents: Map<string, Commander>, name: string): Commander {
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

/** What stands after `--` is the user's program. */
function ownOptions(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end < 0 ? words : words.slice(0, end)
}

function usageLine(error: CommanderError): string {
  const what = error.code === 'commander.help' ? 'no command given' : error.message.replace(/^error: /, '')
  return `reprise: ${printable(what)} [usage]; hint: see reprise --help`
}
