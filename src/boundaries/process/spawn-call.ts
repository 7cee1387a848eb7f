/**
 * A call of the native `spawn`, whichever form this Node gives it: one object, or a list of values. Says what is started, and makes the same call
 * with other streams.
 */
import { realEnv } from '../../real/process.ts'
import type { StdioEntry } from './stdio-plan.ts'

export type SpawnCall = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string | null
  readonly envPairs: readonly string[]
  readonly stdio: StdioEntry[]
  /** The arguments of the same call with these streams. */
  withStdio(stdio: readonly StdioEntry[]): unknown[]
}

type SpawnOptions = { file?: unknown; args?: unknown; cwd?: unknown; envPairs?: unknown; stdio?: unknown }

export function spawnCall(given: readonly unknown[]): SpawnCall {
  const [first] = given
  if (typeof first === 'object' && first !== null) {
    const options: SpawnOptions = first
    return { ...partsOf(options), withStdio: (stdio) => [Object.assign(Object.create(null), options, { stdio })] }
  }
  const [file, args, cwd, envPairs, stdio, ...rest] = given
  return { ...partsOf({ file, args, cwd, envPairs, stdio }), withStdio: (streams) => [file, args, cwd, envPairs, streams, ...rest] }
}

/** What the caller set beyond our own environment. What Node adds for its channel is no choice of anyone's. */
export function chosenEnv(envPairs: readonly string[]): Readonly<Record<string, string>> {
  const chosen: Record<string, string> = {}
  const own = new Set(Object.entries(realEnv).map(([name, value]) => `${name}=${value}`))
  for (const pair of envPairs) {
    if (own.has(pair)) continue
    const at = pair.indexOf('=', 1)
    const name = pair.slice(0, at)
    if (at > 0 && !name.startsWith('NODE_CHANNEL_')) chosen[name] = pair.slice(at + 1)
  }
  return chosen
}

function partsOf({ file, args, cwd, envPairs, stdio }: SpawnOptions): Omit<SpawnCall, 'withStdio'> {
  return {
    file: String(file),
    args: listOf(args).map(String),
    cwd: typeof cwd === 'string' ? cwd : null,
    envPairs: listOf(envPairs).map(String),
    stdio: listOf(stdio) as StdioEntry[],
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
