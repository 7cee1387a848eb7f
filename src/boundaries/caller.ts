/**
 * Who called? Node's own JavaScript goes through the same public functions as the program: its bundled undici
 * reads the clock, its loader reads variables. Where that must not be mistaken for the program's doing, the
 * stack shows. The same goes for a module loader (`tsx`, `ts-node`, …) that runs in the program's own thread:
 * what it reads, asks for and waits for depends on its caches, so its calls do what the originals do.
 *
 * A look costs microseconds, so callers ask for it only where it can matter. What a program has set on
 * `Error` is put back exactly; on an `Error` that cannot be changed the answer is empty, which means: the
 * program's.
 *
 * Decisions 0074 and 0152.
 */
import type { AnyFunction } from './patches.ts'

const { captureStackTrace } = Error
const { getOwnPropertyDescriptor } = Object

type Key = 'stackTraceLimit' | 'prepareStackTrace'

/**
 * Whether the frame right below `callee` is in a file whose name begins with `file`.
 *
 * Asked at every clock read of a program that uses the network, so it is written for speed: plain
 * assignments, where `Error` is as Node made it.
 */
export function isCalledFrom(callee: AnyFunction, file: string): boolean {
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  if (limit?.writable !== true || prepare?.writable !== true)
    return callersOf(callee, 1)[0]?.startsWith(file) === true
  Error.stackTraceLimit = 1
  Error.prepareStackTrace = firstFile
  try {
    const holder: { stack?: unknown } = {}
    captureStackTrace(holder, callee)
    return typeof holder.stack === 'string' && holder.stack.startsWith(file)
  } finally {
    Error.stackTraceLimit = limit.value
    Error.prepareStackTrace = prepare.value
  }
}

function firstFile(_error: unknown, sites: readonly NodeJS.CallSite[]): string {
  return sites[0]?.getFileName() ?? ''
}

/** The files of the frames below `callee`, nearest first; `''` for one without a name. */
export function callersOf(callee: AnyFunction, frames: number): readonly string[] {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  if (limit?.configurable === false || prepare?.configurable === false || !Object.isExtensible(Error))
    return []
  try {
    set('stackTraceLimit', frames, limit)
    set('prepareStackTrace', fileNames, prepare)
    const holder: { stack?: unknown } = {}
    captureStackTrace(holder, callee)
    return Array.isArray(holder.stack) ? holder.stack : []
  } finally {
    restore('stackTraceLimit', limit)
    restore('prepareStackTrace', prepare)
  }
}

function fileNames(_error: unknown, sites: readonly NodeJS.CallSite[]): string[] {
  return sites.map((site) => site.getFileName() ?? '')
}

function set(key: Key, value: unknown, before: PropertyDescriptor | undefined): void {
  if (before?.writable === true) Reflect.set(Error, key, value)
  else Object.defineProperty(Error, key, { value, writable: true, enumerable: true, configurable: true })
}

function restore(key: Key, before: PropertyDescriptor | undefined): void {
  // Setting is several times cheaper than defining, and for a plain value the same.
  if (before?.writable === true) Reflect.set(Error, key, before.value)
  else if (before === undefined) Reflect.deleteProperty(Error, key)
  else Object.defineProperty(Error, key, before)
}

/** Frames in which a loader is looked for, in a process that was started with one. */
const LOADER_DEPTH = 16
/** Names of packages; null without a loader. */
let loaders: ReadonlySet<string> | null = null

/** From now on calls out of these packages are not recorded. */
export function passCallsOf(packages: ReadonlySet<string>): void {
  loaders = packages.size === 0 ? null : packages
}

/** `asker` is the function of ours that a patched function has called. */
export function isLoadersCall(asker: AnyFunction): boolean {
  return loaders !== null && isOfLoader(loaders, callersOf(asker, LOADER_DEPTH))
}

/**
 * Who called is the nearest frame that is neither ours nor a library's of Node. Code of other packages may be
 * the loader's helper, so its caller is asked; but not past the point where Node began to load a module,
 * since everything is loaded by a loader.
 */
export function isOfLoader(packages: ReadonlySet<string>, frames: readonly string[]): boolean {
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
  return (
    /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(file)?.[1]?.replace('\\', '/') ?? null
  )
}

/** Where we lie ourselves: the first frame is always ours. */
function ownFolder(file: string): string {
  return (
    /^.*[/\\](?:dist|src)[/\\](?=boundaries[/\\]|entry[/\\]|library[/\\]|testbench[/\\])/.exec(file)?.[0] ??
    file
  )
}
