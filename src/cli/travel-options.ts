/**
 * The options that `what-if` and `fork` share: apart from what they run, so that other commands start without
 * it.
 */
import type { CommandOption } from './command.ts'
import { trustOptions } from './trust-options.ts'

export const travelOptions: readonly CommandOption[] = [
  { flags: '--out <file>', help: 'the new tape (default: a new one in .reprise/, see reprise list)' },
  { flags: '--force', help: 'replace an existing tape' },
  ...trustOptions,
  { flags: '--report <file>', help: 'write the report as JSON' },
  { flags: '--json', help: 'print the report as JSON; what the program writes to stdout goes to stderr' },
]

/** Options of a run that may go live. */
export const liveOptions: readonly CommandOption[] = [
  {
    flags: '--env <name=value>',
    help: 'a variable that the program finds once it is live; may be given more than once',
    repeat: true,
  },
  {
    flags: '--model-map <from=to>',
    help: 'send live calls of the model FROM to the model TO; may be given more than once',
    repeat: true,
  },
  {
    flags: '--sandbox <folder>',
    help: 'a new folder for the files of the run, in which live subprocesses start',
  },
  { flags: '--real-files', help: 'once it is live, the run and its subprocesses use the real files' },
]
