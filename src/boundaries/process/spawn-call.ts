/**
 * A call of the native `spawn`, in any of the forms that Nodes use: one object, or a list of values. Returns
 * what is started, and makes the same call with other streams.
 */
import { listOf } from '../../base/index.ts'
import { realEnv } from '../../real/process.ts'
import type { ChildOptions, ChildStart } from '../child-contract.ts'
import { isWholeCopy } from '../env/process-env.ts'
import { isGivenVariable, withheldNames } from '../env/variables.ts'
import type { Session } from '../session.ts'
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
 * The environment of a child: what the program set beyond the environment that it was given, and which names it
 * passes on. Not set by the program are: what this process has already, what the session gave it under that
 * name, and what Node adds for its channel.
 */
export function childEnv(
  session: Session,
  envPairs: readonly string[],
): Required<Pick<ChildStart, 'env' | 'inherited'>> {
  const env: Record<string, string> = {}
  const passed: string[] = []
  for (const pair of envPairs) {
    const at = pair.indexOf('=', 1)
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (at <= 0 || name.startsWith('NODE_CHANNEL_')) continue
    if (isGivenVariable(session, realEnv, name, value)) passed.push(name)
    else env[name] = value
  }
  const names = new Set(passed)
  const isCopy = isWholeCopy()
  const withheld = withheldNames(session, isCopy, (name) => names.has(name) || Object.hasOwn(env, name))
  return { env, inherited: { passed: isCopy ? null : passed.sort(), withheld: withheld?.sort() ?? null } }
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
