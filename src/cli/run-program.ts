/**
 * Runs the user's program with Reprise preloaded. Its stdin, stdout, stderr, signals and exit code are its
 * own: nothing is piped, nothing printed.
 */
import { fromSystemError } from '../errors/index.ts'
import { realSpawn } from '../real/child-process.ts'
import { realEnv } from '../real/process.ts'
import type { ProcessSettings } from '../testbench/index.ts'
import { programRuns } from './while-running.ts'

export type ProgramEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type ProgramRun = {
  readonly command: readonly string[]
  readonly mode: 'record' | 'replay'
  readonly tape: string
  readonly settings: ProcessSettings
  /** Options of Node for the program's process alone. */
  readonly wallOptions?: readonly string[]
  readonly cwd?: string
  /** The name that the program is started by, if it is not its path. */
  readonly argv0?: string
  readonly env?: Readonly<Record<string, string>>
  /** NODE_OPTIONS in the place of ours. */
  readonly nodeOptions?: string
  /** `stderr` keeps our stdout free for a document. `ignore`: neither stdout nor stderr is printed. */
  readonly stdout?: 'inherit' | 'stderr' | 'ignore'
  /** `ignore` where our own stdin is a prompt. */
  readonly stdin?: 'inherit' | 'ignore'
  /** Kills the program. */
  readonly signal?: AbortSignal
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGTERM: 15,
}

export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const [program = '', ...args] = run.command
  const child = realSpawn(program, args, {
    stdio: [run.stdin ?? 'inherit', ...outputs(run.stdout ?? 'inherit')],
    ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
    ...(run.argv0 === undefined ? {} : { argv0: run.argv0 }),
    env: programEnv(run),
  })
  programRuns()
  const release = passSignals((signal) => child.kill(signal))
  run.signal?.addEventListener('abort', () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      release()
      reject(fromSystemError(error, 'start', program))
    })
    child.on('close', (code, signal) => {
      release()
      resolve({ code, signal })
    })
  })
}

function outputs(
  stdout: NonNullable<ProgramRun['stdout']>,
): ['inherit' | 'ignore' | 2, 'inherit' | 'ignore'] {
  if (stdout === 'ignore') return ['ignore', 'ignore']
  return [stdout === 'stderr' ? 2 : 'inherit', 'inherit']
}

/** The equivalent exit code: 128 plus the number of the signal. */
export function exitCodeOf(end: ProgramEnd): number {
  return end.signal === null ? (end.code ?? 1) : 128 + (SIGNAL_NUMBERS[end.signal] ?? 0)
}

function programEnv(run: ProgramRun): NodeJS.ProcessEnv {
  const before = run.nodeOptions ?? realEnv.NODE_OPTIONS
  // A file URL has no spaces, which NODE_OPTIONS could not hold.
  const register = `--import=${new URL('../entry/register.js', import.meta.url).href}`
  const settings: ProcessSettings = { ...run.settings, nodeOptions: before ?? null }
  return {
    ...realEnv,
    ...run.env,
    NODE_OPTIONS: [
      ...(before === undefined || before === '' ? [] : [before]),
      ...(run.wallOptions ?? []),
      register,
    ].join(' '),
    REPRISE_MODE: run.mode,
    REPRISE_TAPE: run.tape,
    REPRISE_SETTINGS: JSON.stringify(settings),
  }
}

/**
 * The terminal sends Ctrl-C to both processes; a signal to this process alone is passed on. Either way the
 * program decides how it ends.
 */
function passSignals(pass: (signal: NodeJS.Signals) => void): () => void {
  const onTerminate = (): void => pass('SIGTERM')
  const onHangUp = (): void => pass('SIGHUP')
  const onInterrupt = (): void => undefined
  process.on('SIGTERM', onTerminate)
  process.on('SIGHUP', onHangUp)
  process.on('SIGINT', onInterrupt)
  return () => {
    process.off('SIGTERM', onTerminate)
    process.off('SIGHUP', onHangUp)
    process.off('SIGINT', onInterrupt)
  }
}
