/**
 * A call of the native `spawn`, in any of the forms that Nodes use: one object, or a list of values. Returns
 * what is started, and makes the same call with other streams.
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
  /** The same call in another folder; null for this one. */
  inFolder(cwd: string | null): SpawnCall
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

/** Positions in the list of values. */
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
      inFolder: (cwd) => spawnCall([cwd === null ? options : { ...options, cwd }]),
    }
  }
  const [file, args, cwd, envPairs, stdio, ...rest] = given
  const [flags, uid, gid] = rest
  const detached = (Number(flags) & DETACHED) !== 0
  return {
    ...partsOf({ file, args, cwd, envPairs, stdio, detached, uid, gid }),
    withStdio: (streams, pairs) => [file, args, cwd, pairs ?? envPairs, streams, ...rest],
    inFolder: (folder) => spawnCall([file, args, folder ?? cwd, envPairs, stdio, ...rest]),
  }
}

/**
 * What the program set beyond the environment that it was given: without what this process has already, and
 * without what the session gave it under that name. Variables that Node adds for its channel were not set by
 * the program.
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
}: SpawnOptions): Omit<SpawnCall, 'withStdio' | 'inFolder'> {
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
