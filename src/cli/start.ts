/**
 * Starts the command line from one file: `bin/reprise.js` calls this. `reprise --version` loads nothing else.
 *
 * The bundle and this file are made by `scripts/bundle-cli.mjs`.
 */
import { version } from '../base/version.ts'
import { keepCompiled } from '../real/keep-compiled.ts'
import { loadCompiled } from '../real/load-compiled.ts'

type CommandLine = { main?(words: readonly string[], keepOwn: () => void): Promise<void> }

/** What Node ends with when a module waits for something that never comes. */
const NEVER_SETTLED = 13

export function start(bundle: string): void {
  const words = process.argv.slice(2)
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    process.stdout.write(`${version}\n`)
    return
  }
  const { exports: loaded, script } = loadCompiled(bundle, (name) => import(name))
  const { main }: CommandLine = loaded
  if (main === undefined) throw new Error(`${bundle} is not the command line`)
  let isSettled = false
  // A command that ends with its promise pending has not done its work: that must not look like success.
  process.on('beforeExit', () => {
    if (!isSettled) process.exitCode = NEVER_SETTLED
  })
  main(words, () => keepCompiled(bundle, script)).finally(() => {
    isSettled = true
  })
}
