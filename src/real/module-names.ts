/**
 * The functions that Node's modules and `process` offer, by place: `node:dns`, `node:dns.promises`,
 * `node:dns.Resolver#` (its prototype). An object that contains functions counts as a function, and so does
 * an accessor; one of a prototype only if it can be set.
 *
 * Only the walk for tables and tests: in a session `functionsOf` is applied to places that the table names.
 */
import { builtinModules } from 'node:module'
import process from 'node:process'

const getBuiltin = process.getBuiltinModule.bind(process)
/** What every function has; and listeners and colours, which are state that contains functions. */
export const noFunctions: ReadonlySet<string> = new Set(
  'length name prototype arguments caller constructor _events styles undefined'.split(' '),
)
const DEPTH = 2

/** Older Nodes do not list the modules that need the prefix `node:`. */
const PREFIXED = ['sea', 'sqlite', 'test', 'test/reporters']

/** Every module, the ones that others take their parts from first. */
export const publicModules: readonly string[] = [
  ...new Set([...builtinModules.map((name) => name.replace(/^node:/, '')), ...PREFIXED]),
].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))

export function moduleNames(): Readonly<Record<string, readonly string[]>> {
  const seen = new Set<unknown>()
  const places: Record<string, readonly string[]> = {}
  const visit = (place: string, owner: object, depth: number): void => {
    if (seen.has(owner)) return
    seen.add(owner)
    const names = functionsOf(owner)
    if (names.length > 0) places[place] = names
    if (depth === 0) return
    for (const name of names) {
      const value: unknown = readName(owner, name)
      // Skip an instance such as `process.stdout`.
      if (typeof value !== 'function' && !isTable(value)) continue
      visit(`${place}.${name}`, value, depth - 1)
      const prototype: unknown = Reflect.get(value, 'prototype')
      if (typeof value === 'function' && isObject(prototype)) visit(`${place}.${name}#`, prototype, 0)
    }
  }
  visit('process', process, 1)
  for (const name of publicModules) {
    const exports: unknown = builtinModule(name)
    if (isOwner(exports)) visit(`node:${name}`, exports, DEPTH)
  }
  return places
}

/** The names of functions that are own properties of an object. */
function functionsOf(owner: object): string[] {
  const isPrototype = Object.hasOwn(owner, 'constructor') && typeof owner !== 'function'
  return Object.getOwnPropertyNames(owner).filter((name) => {
    if (noFunctions.has(name)) return false
    const descriptor = Object.getOwnPropertyDescriptor(owner, name)
    if (descriptor?.get !== undefined || descriptor?.set !== undefined)
      return !isPrototype || descriptor.set !== undefined
    const value = readName(owner, name)
    return typeof value === 'function' || (!isPrototype && isTable(value))
  })
}

/** The exports of a module of Node's; undefined if this Node, or this thread, has none of that name. */
export function builtinModule(name: string): object | undefined {
  try {
    return getBuiltin(`node:${name}`) ?? getBuiltin(name)
  } catch (error) {
    // Node refuses `trace_events` in a worker thread. The error may be of another context.
    if (typeof error === 'object' && error !== null && 'code' in error) return undefined
    throw error
  }
}

/** A plain object with functions in it, such as `dns.promises`; not an instance such as `process.stdout`. */
function isTable(value: unknown): value is object {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return false
  return Object.getOwnPropertyNames(value).some((name) => typeof readName(value, name) === 'function')
}

/** A getter that fails has nothing to offer. */
function readName(owner: object, name: string): unknown {
  try {
    return Reflect.get(owner, name)
  } catch {
    return undefined
  }
}

function isOwner(value: unknown): value is object {
  return typeof value === 'function' || isObject(value)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rank(name: string): number {
  if (name.startsWith('_')) return 3
  if (name === 'sys') return 2
  return name.includes('/') ? 1 : 0
}
