/**
 * Finds out who made a call. Node's own JavaScript uses the same public functions as the program: its bundled
 * undici reads the clock, its loader reads variables. The stack trace distinguishes such calls from the
 * program's. The same holds for a module loader (`tsx`, `ts-node`, …) that runs in the program's own thread:
 * what it reads, requests and waits for depends on its caches, so its calls go to the originals.
 *
 * Reading a stack takes microseconds, so callers do it only where it can matter. The program's settings on
 * `Error` are restored exactly. If `Error` cannot be changed, the frames are those of a plain stack; if the
 * program formats stacks as well, the result is empty, which means: the call is the program's.
 *
 * Decisions 0074 and 0152.
 */
import { isUndiciLoaded } from '../real/network.ts'
import { captureStackTrace, nodesPrepareStackTrace } from '../real/stack-traces.ts'
import type { AnyFunction } from './patches.ts'

const { getOwnPropertyDescriptor } = Object

type Key = 'stackTraceLimit' | 'prepareStackTrace'

/**
 * Whether the frame right below `callee` is in a file whose name begins with `file`.
 *
 * Called at every clock read of a program that uses the network, so it is written for speed: plain
 * assignments, if `Error` is as Node made it.
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
    // Read once: it is a property that V8 computes.
    const { stack } = holder
    return typeof stack === 'string' && stack.startsWith(file)
  } finally {
    Error.stackTraceLimit = limit.value
    Error.prepareStackTrace = prepare.value
  }
}

/** The files of Node's bundled undici. */
export const UNDICI = 'node:internal/deps/undici'

/**
 * Whether the direct caller of `reader`, a patched function that reads the clock, is Node's bundled undici.
 * Such a read is not the program's, and its time depends on the garbage collector. Most of them never reach
 * this function: if the first request loads undici, undici gets its own clock (real/undici-clock.ts).
 */
export function isReadByUndici(reader: AnyFunction): boolean {
  return isUndiciLoaded() && isCalledFrom(reader, UNDICI)
}

function firstFile(_error: unknown, sites: readonly NodeJS.CallSite[]): string {
  return sites[0]?.getFileName() ?? ''
}

/** The files of the frames below `callee`, nearest first; `''` for a frame without a file name. */
export function callersOf(callee: AnyFunction, frames: number): readonly string[] {
  const stack = stackBelow(callee, frames, (site) => site.getFileName() ?? '')
  return typeof stack === 'string' ? filesIn(stack) : stack
}

/** The frames below `callee`, nearest first. Empty if `Error` cannot be changed. */
export function framesBelow<T>(
  callee: AnyFunction,
  frames: number,
  read: (site: NodeJS.CallSite) => T,
): readonly T[] {
  const stack = stackBelow(callee, frames, read)
  return typeof stack === 'string' ? [] : stack
}

const FRAME = /^\s+at .*?\(?((?:node:|file:|\/)[^()]*?):\d+:\d+\)?$/

/** While V8 prepares one stack, as for source maps, it gives any other as text only. */
function filesIn(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => FRAME.exec(line)?.[1] ?? '')
}

function stackBelow<T>(
  callee: AnyFunction,
  frames: number,
  read: (site: NodeJS.CallSite) => T,
): readonly T[] | string {
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  if (!isChangeable(limit, prepare)) return plainStack(callee, frames, prepare)
  try {
    set('stackTraceLimit', frames, limit)
    set('prepareStackTrace', (_error: unknown, sites: readonly NodeJS.CallSite[]) => sites.map(read), prepare)
    const holder: { stack?: unknown } = {}
    captureStackTrace(holder, callee)
    if (typeof holder.stack === 'string') return holder.stack
    return Array.isArray(holder.stack) ? holder.stack : []
  } finally {
    restore('stackTraceLimit', limit)
    restore('prepareStackTrace', prepare)
  }
}

function isChangeable(
  limit: PropertyDescriptor | undefined,
  prepare: PropertyDescriptor | undefined,
): boolean {
  return limit?.configurable !== false && prepare?.configurable !== false && Object.isExtensible(Error)
}

/** The stack as Node formats it, for a program that has frozen `Error`. */
function plainStack(
  callee: AnyFunction,
  frames: number,
  prepare: PropertyDescriptor | undefined,
): readonly never[] | string {
  if (prepare?.value !== nodesPrepareStackTrace) return []
  const holder: { stack?: unknown } = {}
  captureStackTrace(holder, callee)
  if (typeof holder.stack !== 'string') return []
  const lines = holder.stack.split('\n')
  const first = lines.findIndex((line) => /^\s+at /.test(line))
  return first < 0 ? [] : lines.slice(first, first + frames).join('\n')
}

/**
 * Runs `run` with stack traces of `frames` frames in Node's own format, also if the program formats stacks. V8
 * counts the lines of each file in a trace: of our engine that takes 2 ms. If `Error` cannot be changed, traces
 * are those of the program.
 */
export function withPlainStacks<T>(frames: number, run: () => T): T {
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  if (!isChangeable(limit, prepare)) return run()
  try {
    set('stackTraceLimit', frames, limit)
    set('prepareStackTrace', nodesPrepareStackTrace, prepare)
    return run()
  } finally {
    restore('stackTraceLimit', limit)
    restore('prepareStackTrace', prepare)
  }
}

function set(key: Key, value: unknown, before: PropertyDescriptor | undefined): void {
  if (before?.writable === true) Reflect.set(Error, key, value)
  else Object.defineProperty(Error, key, { value, writable: true, enumerable: true, configurable: true })
}

function restore(key: Key, before: PropertyDescriptor | undefined): void {
  // Assigning is several times cheaper than defining, and equivalent for a plain value.
  if (before?.writable === true) Reflect.set(Error, key, before.value)
  else if (before === undefined) Reflect.deleteProperty(Error, key)
  else Object.defineProperty(Error, key, before)
}

/** The number of frames in which a loader is searched for, in a process that was started with one. */
const LOADER_DEPTH = 16
/** Names of packages; null without a loader. */
let loaders: ReadonlySet<string> | null = null
/** Whether this process was started with a loader. Without one, `isLoadersCall` need not be called. */
export let hasLoader = false

/** From now on, calls from these packages are not recorded. */
export function passCallsOf(packages: ReadonlySet<string>): void {
  loaders = packages.size === 0 ? null : packages
  hasLoader = loaders !== null
}

/** `asker` is our own function that a patched function has called. */
export function isLoadersCall(asker: AnyFunction): boolean {
  return loaders !== null && isOfLoader(loaders, callersOf(asker, LOADER_DEPTH))
}

/**
 * The caller is the nearest frame that is neither ours nor in a library of Node. Code of other packages may
 * be the loader's helper, so its caller decides. The search stops where Node began to load a module, because
 * everything is loaded by a loader.
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

/** The name of the package that a file belongs to; null for a file outside node_modules. */
export function packageOf(file: string): string | null {
  return (
    /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(file)?.[1]?.replace('\\', '/') ?? null
  )
}

/** Our own files: the first frame is always ours. */
export function ownFolder(file: string): string {
  return (
    /^.*[/\\](?:dist|src)[/\\](?=boundaries[/\\]|entry[/\\]|library[/\\]|testbench[/\\])/.exec(file)?.[0] ??
    file
  )
}
