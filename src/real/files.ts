/** `node:fs` as programs find it, and its functions captured before anything is patched. */
import nodeFs from 'node:fs'
import { createInterface, type Interface } from 'node:readline'
import { isBuiltinLoaded } from './builtin-loads.ts'
import { fs } from './fs.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of node:fs are called with whatever the program gave
type Anything = (...args: any[]) => any

export const filesOwners = { fs: nodeFs as object, promises: nodeFs.promises as object } as const

/** By name; what this Node lacks is undefined. */
export type FileFunctions = { readonly [name: string]: Anything | undefined }

function pick(owner: object): FileFunctions {
  const picked: { [name: string]: Anything } = {}
  for (const name of Object.getOwnPropertyNames(owner)) {
    // What is behind a getter is a class that Node has not loaded yet.
    const value: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value
    if (typeof value === 'function') picked[name] = value as Anything
  }
  return picked
}

export const realFiles: FileFunctions = pick(fs)
export const realFilePromises: FileFunctions = pick(nodeFs.promises)
/**
 * Whether Node's `cp` copies only by calling the other functions, as they are now: in newer versions it is
 * native code, and code that Node has loaded keeps the functions that it found.
 */
export function copiesBySteps(form: 'sync' | 'later'): boolean {
  const major = Number.parseInt(process.versions.node, 10)
  if (form === 'sync') return major < 22 && !isBuiltinLoaded('internal/fs/cp/cp-sync')
  return major < 26 && !isBuiltinLoaded('internal/fs/cp/cp')
}

export const realpathNative: Anything = nodeFs.realpath.native
export const realpathNativeSync: Anything = fs.realpathSync.native

/** Null for what is no plain file, or not there. */
export function plainFileSize(path: string): number | null {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true ? stat.size : null
}

export const { Dirent, constants: fileConstants } = nodeFs
export const streamClasses = {
  get ReadStream(): typeof nodeFs.ReadStream {
    return nodeFs.ReadStream
  },
  get WriteStream(): typeof nodeFs.WriteStream {
    return nodeFs.WriteStream
  },
} as const
export const FolderClass: new (handle: object, path: string, options: unknown) => object = Reflect.get(
  nodeFs,
  'Dir',
)
export const realTick: typeof process.nextTick = process.nextTick.bind(process)

/** Classes that only their instances show: those of a folder that always exists, read when first needed. */
const instances = {
  stats: (): object => fs.statSync('/'),
  bigint: (): object => fs.statSync('/', { bigint: true }),
  statfs: (): object => fs.statfsSync('/'),
} as const
type StatName = keyof typeof instances
const known = new Map<StatName, object>()

function instanceOf(name: StatName): object {
  const instance = known.get(name) ?? instances[name]()
  known.set(name, instance)
  return instance
}

export function statPrototype(name: StatName): object {
  return Object.getPrototypeOf(instanceOf(name)) as object
}

/** Up to Node 20 the dates are there from the start, later versions create them on first access. */
export function statsHaveDates(): boolean {
  return Object.hasOwn(instanceOf('stats'), 'mtime')
}

export const linesOf = (input: NodeJS.ReadableStream): Interface =>
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
