/**
 * The second wall of a replay: Node's permission model, in the process that claims the tape. Returns the
 * options of Node that enable it. Node then also denies what the first wall refuses (src/boundaries/refusal).
 *
 * It is relaxed only for what loading the program needs: a module loader, hooks on a thread, native addons
 * that the tape has. Reading is never restricted.
 *
 * Decision 0306.
 */

/** What Node denies to the process; each is true or false. */
export type Walls = {
  /** Writes outside the replay's own files. */
  readonly files: boolean
  readonly children: boolean
  readonly workers: boolean
  readonly addons: boolean
  readonly network: boolean
}

export const NO_WALLS: Walls = {
  files: false,
  children: false,
  workers: false,
  addons: false,
  network: false,
}

export type WallNeeds = {
  /** The Node that runs the program: `v22.13.0`. */
  readonly node: string
  /** Files of the replay. A name that ends in `*` is a prefix. */
  readonly writes: readonly string[]
  /** Packages that load the program's modules. */
  readonly loaders: readonly string[]
  /** The program registers hooks that run on their own thread. */
  readonly hooks: boolean
  readonly addons: boolean
  readonly temp: string
}

export type Wall = { readonly options: readonly string[]; readonly walls: Walls }

/** Where a process may write without writing a file. */
const OUTPUTS = [
  '/dev/null',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/tty',
  '/dev/fd/*',
  '/dev/pts/*',
  '/proc/self/fd/*',
]

/** The options in the form of NODE_OPTIONS; null if this Node has no permission model. */
export function wallFor({ node, writes, loaders, hooks, addons, temp }: WallNeeds): Wall | null {
  if (!hasPermissionModel(node)) return null
  const isLoading = loaders.length > 0
  const needs = {
    children: isLoading,
    workers: isLoading || hooks,
    addons: addons || loaders.some((name) => name !== 'tsx'),
  }
  const caches = loaders.map((name) => (name === 'tsx' ? `${temp}/tsx-*` : `${temp}/*`))
  const allowed = [
    ...(needs.children ? ['--allow-child-process'] : []),
    ...(needs.workers ? ['--allow-worker'] : []),
    ...(needs.addons ? ['--allow-addons'] : []),
  ]
  return {
    options: [
      '--permission',
      '--allow-fs-read=*',
      ...[...new Set([...writes, ...OUTPUTS, ...caches])].map((path) => `--allow-fs-write=${path}`),
      ...allowed,
      // Node warns of each of these options.
      '--disable-warning=SecurityWarning',
    ].map(quoted),
    walls: {
      files: true,
      children: !needs.children,
      workers: !needs.workers,
      addons: !needs.addons,
      network: majorOf(node) >= NETWORK_SINCE,
    },
  }
}

const NETWORK_SINCE = 25

export function hasPermissionModel(version: string): boolean {
  const [major, minor] = [majorOf(version), Number(/^v\d+\.(\d+)/.exec(version)?.[1] ?? 0)]
  if (major === 22) return minor >= 13
  return major === 23 ? minor >= 5 : major >= 24
}

function majorOf(version: string): number {
  return Number(/^v(\d+)/.exec(version)?.[1] ?? 0)
}

/** NODE_OPTIONS is split at blanks that are not in quotes. */
function quoted(option: string): string {
  return /[\s"\\]/.test(option) ? `"${option.replace(/["\\]/g, '\\$&')}"` : option
}
