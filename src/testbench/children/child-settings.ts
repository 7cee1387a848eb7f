/**
 * The environment in which a Node child of this process is recorded: the preloaded module, the mode, the tape
 * and the settings.
 */
import { realEnv } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'

/** What this process was started with, before it was hidden from the program. */
export type OwnStart = {
  /** The argument that preloads us: `--import=file:///…/register.js`. */
  readonly preload: string | null
  readonly settings: Readonly<Record<string, unknown>>
  /** NODE_OPTIONS without ours; null if it was not set. */
  readonly nodeOptions: string | null
}

/** Call it before our own variables are removed from the environment. */
export function ownStart(): OwnStart {
  const words = (realEnv.NODE_OPTIONS ?? '').split(/\s+/)
  const text = realEnv.REPRISE_SETTINGS
  const settings: Record<string, unknown> = text === undefined ? {} : JSON.parse(text)
  const { nodeOptions } = settings
  return {
    preload: words.find((word) => REGISTER.test(word)) ?? fromArguments(),
    settings,
    nodeOptions: typeof nodeOptions === 'string' ? nodeOptions : null,
  }
}

const REGISTER =
  /^(?:--import=\S*(?:reprise\/register|\/entry\/register\.js)|"--require=.*\/entry\/child\.cjs")$/

function fromArguments(): string | null {
  const { execArgv } = startedAs
  for (const [at, word] of execArgv.entries()) {
    const joined = word === '--import' ? `--import=${execArgv[at + 1] ?? ''}` : word
    if (REGISTER.test(joined)) return joined
  }
  return null
}

/** `env` is the program's environment for the child. */
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

/** What a child gets in addition to the settings of every recording. */
export type ChildSettings = {
  /** The name of the parent's tape. */
  readonly parent: string
  readonly number: number
  /** The descriptor from which a direct child of `parentPid` reads secrets; null without any. */
  readonly pipe: number | null
  readonly parentPid: number
  /** Where secrets are in the values of variables. */
  readonly secretEnv: readonly SecretPlace[]
}

export type SecretPlace = readonly [variable: string, kind: string, start: number, end: number]
/** What is sent over the pipe. */
export type KnownSecret = { readonly kind: string; readonly value: string }
