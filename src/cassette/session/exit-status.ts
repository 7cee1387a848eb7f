/** How a program ended, in the format's terms: a signal by the operating system's words, with code -1. */
import { signalName } from '../../real/signals.ts'
import type { ExitStatus } from '../codec/records.ts'

const WORDS: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
}

export function exitStatus(code: number, signal: number): ExitStatus {
  if (signal === 0) return { code, signal: '', exited: true, signaled: false }
  const name = signalName(signal) ?? ''
  return { code: -1, signal: WORDS[name] ?? `signal ${signal}`, exited: false, signaled: true }
}

/** What a shell would report: the code, or 128 and the number of the signal. */
export function shellCode(status: ExitStatus, numberOf: (name: string) => number | null): number {
  if (!status.signaled) return status.code
  const name = Object.entries(WORDS).find(([, words]) => words === status.signal)?.[0]
  const number =
    name === undefined ? Number(/^signal (\d+)$/.exec(status.signal)?.[1] ?? 0) : (numberOf(name) ?? 0)
  return 128 + number
}
