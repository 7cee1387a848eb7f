/**
 * The environment in which a Node child of this process is recorded: the preloaded module, the mode, the tape
 * and the settings.
 */
import { realEnv } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'

/** What this process was started with, before it was hidden from the program. */
export type OwnStart = {
  /** The word that preloads us: `--import=file:///…/register.js`. */
  readonly preload: string | null
  readonly settings: Readonly<Record<string, unknown>>
}

/** Before our own variables are taken out of the environment. */
export function ownStart(): OwnStart {
  const words = (realEnv.NODE_OPTIONS ?? '').split(/\s+/)
  const text = realEnv.REPRISE_SETTINGS
  const settings: Record<string, unknown> = text === undefined ? {} : JSON.parse(text)
  return { preload: words.find((word) => REGISTER.test(word)) ?? fromArguments(), settings }
}

const REGISTER = /^--import=\S*(?:reprise\/register|\/entry\/register\.js)$/

function fromArguments(): string | null {
  const { execArgv } = startedAs
  for (const [at, word] of execArgv.entries()) {
    const joined = word === '--import' ? `--import=${execArgv[at + 1] ?? ''}` : word
    if (REGISTER.test(joined)) return joined
  }
  return null
}

/** `env` is what the program gives the child. */
export function recordedChildEnv(
  start: OwnStart,
  tape: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const before = env.NODE_OPTIONS
  const options = [before ?? '', start.preload ?? ''].filter((word) => word !== '').join(' ')
  return {
    ...env,
    ...(options === '' ? {} : { NODE_OPTIONS: options }),
    REPRISE_MODE: 'record',
    REPRISE_TAPE: tape,
    REPRISE_SETTINGS: JSON.stringify({ ...start.settings, nodeOptions: before ?? null }),
  }
}
