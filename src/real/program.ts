/** How this process was started, and how it is made to end: captured before anything is patched. */
import { writeSync } from 'node:fs'
import process from 'node:process'

const { argv, execArgv, execPath, version, versions, platform, arch, pid } = process
const kill = process.kill.bind(process)

export const realProcess: NodeJS.Process = process
export const startedAs = {
  argv: [...argv],
  execArgv: [...execArgv],
  execPath,
  version,
  platform,
  arch,
  undici: versions.undici ?? null,
} as const

/** Ends this process by the signal's own default, so that the waiting process sees the signal. */
export function dieBy(signal: NodeJS.Signals): void {
  kill(pid, signal)
}

const exit = process.exit.bind(process)

/** Ends this process with its `exit` event. */
export function exitNow(code: number): void {
  exit(code)
}

type WithReallyExit = { readonly reallyExit: (code: number) => never }
const reallyExit = (process as NodeJS.Process & WithReallyExit).reallyExit.bind(process)

/** Ends this process without its `exit` event: nothing of the program runs any more. */
export function exitAtOnce(code: number): void {
  reallyExit(code)
}

/** Past the stream that the program may have replaced. */
export function writeStderr(text: string): void {
  writeSync(2, text)
}
