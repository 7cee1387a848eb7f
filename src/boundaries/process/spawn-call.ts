/**
 * A call of the native `spawn`, whichever form this Node gives it: one object, or a list of values. Says what
 * is started, and makes the same call with other streams.
 */
import { listOf } from '../../base/index.ts'
import { realEnv } from '../../real/process.ts'
import { isGivenVariable } from '../env/variables.ts'
import type { ChildOptions, Session } from '../session.ts'
import type { StdioEntry } from './stdio-plan.ts'

export type SpawnCall = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string | null
  readonly envPairs: readonly string[]
  readonly stdio: StdioEntry[]
  readonly options: ChildOptions
  /** The arguments of the same call with these streams, and with another environment if it is given. */
  withStdio(stdio: readonly StdioEntry[], envPairs?: readonly string[]): unknown[]
}

type SpawnOptions = {
  file?: unknown
  args?: unknown
  cwd?: unknown
  envPairs?: unknown
  stdio?: unknown
  detached?: unknown
  uid?: unknown
  gid?: unknown
}

/** In the list of values. */
const DETACHED = 1

export function spawnCall(given: readonly unknown[]): SpawnCall {
  const [first] = given
  if (typeof first === 'object' && first !== null) {
    const options: SpawnOptions = first
    return {
      ...partsOf(options),
      withStdio: (stdio, envPairs = listOf(options.envPairs).map(String)) => [
        Object.assign(Object.create(null), options, { stdio, envPairs }),
      ],
    }
  }
  const [file, args, cwd, envPairs, stdio, ...rest] = given
  const [flags, uid, gid] = rest
  const detached = (Number(flags) & DETACHED) !== 0
  return {
    ...partsOf({ file, args, cwd, envPairs, stdio, detached, uid, gid }),
    withStdio: (streams, pairs) => [file, args, cwd, pairs ?? envPairs, streams, ...rest],
  }
}

/**
 * What the program set beyond the environment that it was given: neither what this process has by itself, nor
 * what the session gave it under that name. What Node adds for its channel was not set by the program.
 */
export function chosenEnv(session: Session, envPairs: readonly string[]): Readonly<Record<string, string>> {
  const chosen: Record<string, string> = {}
  for (const pair of envPairs) {
    const at = pair.indexOf('=', 1)
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (at <= 0 || name.startsWith('NODE_CHANNEL_') || isGivenVariable(session, realEnv, name, value))
      continue
    chosen[name] = value
  }
  return chosen
}

function partsOf({
  file,
  args,
  cwd,
  envPairs,
  stdio,
  detached,
  uid,
  gid,
}: SpawnOptions): Omit<SpawnCall, 'withStdio'> {
  return {
    file: String(file),
    args: listOf(args).map(String),
    cwd: typeof cwd === 'string' ? cwd : null,
    envPairs: listOf(envPairs).map(String),
    stdio: listOf(stdio) as StdioEntry[],
    options: {
      ...(detached === true ? { detached } : {}),
      ...(typeof uid === 'number' ? { uid } : {}),
      ...(typeof gid === 'number' ? { gid } : {}),
      ...(listOf(args).length > 0 && listOf(args)[0] !== file ? { argv0: String(listOf(args)[0]) } : {}),
    },
  }
}
