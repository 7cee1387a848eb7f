/** How this process was started, and how it is made to end: captured before anything is patched. */
import process from 'node:process'

const { argv, execArgv, execPath, version, versions, pid } = process
const kill = process.kill.bind(process)

export const realProcess: NodeJS.Process = process
export const startedAs = { argv: [...argv], execArgv: [...execArgv], execPath, version, undici: versions.undici ?? null } as const

/** Ends this process by the signal's own default, so that whoever waits for it sees the signal. */
export function dieBy(signal: NodeJS.Signals): void {
  kill(pid, signal)
}
