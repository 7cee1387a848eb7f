/**
 * Who called? Node's own JavaScript goes through the same public functions as the program: its bundled undici reads the clock, its loader reads
 * variables. Where that must not be mistaken for the program's doing, the stack tells.
 *
 * A look costs microseconds, so callers ask for it only where it can matter. What a program has set on `Error` is put back exactly; on an `Error`
 * that cannot be changed the answer is empty, which means: the program's.
 */
import type { AnyFunction } from './patches.ts'

const { captureStackTrace } = Error
const { getOwnPropertyDescriptor } = Object

type Key = 'stackTraceLimit' | 'prepareStackTrace'

/**
 * Whether the frame right below `callee` is in a file whose name begins with `file`.
 *
 * Asked at every clock read of a program that uses the network, so it is written for speed: plain assignments, where `Error` is as Node made it.
 */
export function isCalledFrom(callee: AnyFunction, file: string): boolean {
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  if (limit?.writable !== true || prepare?.writable !== true) return callersOf(callee, 1)[0]?.startsWith(file) === true
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
  if (limit?.configurable === false || prepare?.configurable === false || !Object.isExtensible(Error)) return []
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
