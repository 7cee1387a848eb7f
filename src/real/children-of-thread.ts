/**
 * A worker thread of a recorded process is not recorded. The Node children that it starts are: each gets the
 * environment in which it records itself. The thread's own program does not see these variables.
 *
 * Loaded in every such thread before its program, so it is small. Does not cover threads that a thread starts.
 */

const OWN = ['REPRISE_MODE', 'REPRISE_TAPE', 'REPRISE_SETTINGS'] as const

type Env = Record<string, string | undefined>
type Options = { readonly env?: Env; readonly [name: string]: unknown }
type AnyFunction = (...args: unknown[]) => unknown

/** The word that makes Node load our module: it comes last. */
const PRELOAD = /"--require=[^"]*child\.cjs"$/

export function recordChildrenOfThread(): void {
  const preload = PRELOAD.exec(process.env.NODE_OPTIONS ?? '')?.[0]
  if (preload === undefined) return
  const childProcess = process.getBuiltinModule('node:child_process')
  const own = Object.fromEntries(OWN.map((name) => [name, process.env[name] ?? '']))
  const { nodeOptions, ...settings } = JSON.parse(own.REPRISE_SETTINGS ?? '{}')
  for (const name of OWN) delete process.env[name]
  if (typeof nodeOptions === 'string') process.env.NODE_OPTIONS = nodeOptions
  else delete process.env.NODE_OPTIONS

  const recorded = (env: Env): Env => {
    const before = env.NODE_OPTIONS
    return {
      ...env,
      ...own,
      NODE_OPTIONS: before === undefined || before === '' ? preload : `${before} ${preload}`,
      REPRISE_SETTINGS: JSON.stringify({ ...settings, nodeOptions: before ?? null }),
    }
  }
  const { prototype } = childProcess.ChildProcess
  const spawn: AnyFunction = Reflect.get(prototype, 'spawn')
  Reflect.set(prototype, 'spawn', function (this: unknown, options: unknown, ...rest: unknown[]): unknown {
    return Reflect.apply(spawn, this, [withPairs(options, recorded), ...rest])
  })
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    const original = childProcess[name] as AnyFunction
    const door = (...args: unknown[]): unknown => original(...withEnv(args, recorded))
    Reflect.set(childProcess, name, door)
  }
  process.getBuiltinModule('node:module').syncBuiltinESMExports()
}

/** What Node passes to the handle of a child has the environment as `NAME=value`. */
function withPairs(options: unknown, recorded: (env: Env) => Env): unknown {
  if (!isOptions(options) || !Array.isArray(options.envPairs)) return options
  const env: Env = {}
  for (const pair of options.envPairs.map(String)) {
    const at = pair.indexOf('=', 1)
    env[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return { ...options, envPairs: Object.entries(recorded(env)).map(([name, value]) => `${name}=${value}`) }
}

/** The options are the last argument, if it is an object and no list. */
function withEnv(args: readonly unknown[], recorded: (env: Env) => Env): unknown[] {
  const last = args.at(-1)
  const options = args.length > 1 && isOptions(last) ? last : null
  const given = options === null ? args : args.slice(0, -1)
  return [...given, { ...options, env: recorded({ ...(options?.env ?? process.env) }) }]
}

function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
