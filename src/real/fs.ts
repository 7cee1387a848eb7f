/**
 * The file system, captured before anything is patched. Copies of the functions, so that a recorder patching
 * `node:fs` later does not record Reprise itself.
 *
 * Some of Node's own functions call others through the public object (`readFileSync` calls `fs.openSync`),
 * which may be patched by then: while one of ours runs, `isOwnFileCall` returns true.
 */
import nodeFs from 'node:fs'
import { type Anything, callingNodesOwn } from './nodes-own-calls.ts'
import { DENIED_FLUSHES, isWalled } from './walled.ts'

let depth = 0

export const isOwnFileCall = (): boolean => depth > 0

function own(original: Anything): Anything {
  const marked = (...args: unknown[]): unknown => {
    depth += 1
    try {
      return Reflect.apply(original, nodeFs, args)
    } finally {
      depth -= 1
    }
  }
  return Object.assign(marked, original)
}

/** Behind getters, which load what the streams of Node are made of. */
const STREAM_CLASSES: ReadonlySet<string> = new Set([
  'ReadStream',
  'WriteStream',
  'FileReadStream',
  'FileWriteStream',
  'Utf8Stream',
])

/** `promises` is left out: its getter loads more of Node, and Reprise itself reads and writes at once. */
type OwnFs = Omit<typeof nodeFs, 'promises'>

export const fs: OwnFs = copyOf(nodeFs)

/**
 * The getters of the stream classes stay getters until their first use, and so do those that are not enumerable:
 * reading a name that is no longer to be used prints a warning. Other getters become functions.
 */
function copyOf(original: typeof nodeFs): OwnFs {
  const copy = Object.create(null)
  for (const name of Object.getOwnPropertyNames(original)) {
    const descriptor = Object.getOwnPropertyDescriptor(original, name)
    if (name === 'promises' || descriptor === undefined) continue
    const { enumerable, get } = descriptor
    if (get !== undefined && (enumerable !== true || STREAM_CLASSES.has(name))) {
      Object.defineProperty(copy, name, descriptor)
      continue
    }
    const value: unknown = Reflect.get(original, name)
    copy[name] = typeof value === 'function' ? ownFunction(name, value as Anything) : value
  }
  return copy
}

function ownFunction(name: string, original: Anything): Anything {
  if (isWalled && DENIED_FLUSHES.has(name)) return () => undefined
  const calling = callingNodesOwn(name, original)
  return name.endsWith('Sync') ? own(calling) : calling
}
