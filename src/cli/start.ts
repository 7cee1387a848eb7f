/**
 * Starts the command line from one file: `bin/reprise.js` calls this. `reprise --version` loads nothing else.
 * The commands that run a program are in a smaller file next to the one with every command.
 *
 * These files and this one are made by `scripts/bundle-cli.mjs`.
 *
 * Decision 0520.
 */
import { version } from '../base/version.ts'
import { keepCompiled } from '../real/keep-compiled.ts'
import { loadCompiled } from '../real/load-compiled.ts'

type CommandLine = {
  main?(words: readonly string[], keepOwn: () => void, whole: () => Promise<void>): Promise<void>
}

/** What Node ends with when a module waits for something that never comes. */
const NEVER_SETTLED = 13
const RUNS_PROGRAM = ['record', 'replay']

/** `bundle` has every command; `runBundle` those that run a program. */
export function start(bundle: string, runBundle: string = bundle): void {
  const words = process.argv.slice(2)
  const [first = ''] = words
  if (words.length === 1 && (first === '--version' || first === '-V')) {
    process.stdout.write(`${version}\n`)
    return
  }
  const whole = (): Promise<void> => run(bundle, words)
  let isSettled = false
  // A command that ends with its promise pending has not done its work: that must not look like success.
  process.on('beforeExit', () => {
    if (!isSettled) process.exitCode = NEVER_SETTLED
  })
  const running = RUNS_PROGRAM.includes(first) ? run(runBundle, words, whole) : whole()
  running.finally(() => {
    isSettled = true
  })
}

function run(bundle: string, words: readonly string[], whole = neverWhole): Promise<void> {
  const { exports: loaded, script } = loadCompiled(bundle, (name) => import(name))
  const { main }: CommandLine = loaded
  if (main === undefined) throw new Error(`${bundle} is not the command line`)
  return main(words, () => keepCompiled(bundle, script), whole)
}

const neverWhole = (): Promise<void> => Promise.reject(new Error('this is the whole command line'))
