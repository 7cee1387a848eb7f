/**
 * Calls of a module loader (`tsx`, `ts-node`, …) that runs in the program's own thread. A loader is not the program: what it reads, asks for and waits for
 * depends on its caches, and is different in the next run. So its calls do what the originals do.
 *
 * They are told by the stack, which costs microseconds: it is looked at only in a process that was started with a loader.
 */
import { callersOf } from './caller.ts'
import type { AnyFunction } from './patches.ts'

const DEPTH = 16
/** Names of packages; null without a loader. */
let loaders: ReadonlySet<string> | null = null

/** From now on calls out of these packages are nobody's. */
export function passCallsOf(packages: ReadonlySet<string>): void {
  loaders = packages.size === 0 ? null : packages
}

/** `asker` is the function of ours that a patched function has called. */
export function isLoadersCall(asker: AnyFunction): boolean {
  return loaders !== null && isOf(loaders, callersOf(asker, DEPTH))
}

/**
 * Who called is the nearest frame that is neither ours nor a library's of Node. Code of other packages may be the loader's helper, so its caller is asked;
 * but not past the point where Node began to load a module, since everything is loaded by a loader.
 */
export function isOf(packages: ReadonlySet<string>, frames: readonly string[]): boolean {
  const own = ownFolder(frames[0] ?? '')
  const [nearest, ...others] = frames.filter((file) => !file.startsWith(own))
  if (nearest === undefined) return false
  if (nearest.startsWith(MODULES)) return true
  for (const file of [nearest, ...others]) {
    if (file.startsWith(MODULES)) return false
    if (file.startsWith('node:')) continue
    const name = packageOf(file)
    if (name === null) return false
    if (packages.has(name)) return true
  }
  return false
}

const MODULES = 'node:internal/modules/'

/** The name of the package that a file belongs to; null for one that is not in node_modules. */
export function packageOf(file: string): string | null {
  return /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(file)?.[1]?.replace('\\', '/') ?? null
}

/** Where we lie ourselves: the first frame is always ours. */
function ownFolder(file: string): string {
  return /^.*[/\\](?:dist|src)[/\\](?=boundaries[/\\]|entry[/\\]|testbench[/\\])/.exec(file)?.[0] ?? file
}
