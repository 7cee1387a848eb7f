/**
 * Functions of `node:fs` that call others through the public object: `readFileSync` calls `fs.closeSync`. A
 * program may have put a wrapper there (graceful-fs, APM agents). Such a wrapper would run in a recording and
 * not in a replay, which takes the answer from the tape. So while one of these functions runs for a recorded
 * call, the functions that it calls are Node's own, in every mode.
 */
import nodeFs from 'node:fs'

// biome-ignore lint/suspicious/noExplicitAny: functions of node:fs are called with whatever the program gave
export type Anything = (...args: any[]) => any

const OPENED_SYNC = [
  'openSync',
  'readSync',
  'writeSync',
  'fsyncSync',
  'ftruncateSync',
  'fchmodSync',
  'closeSync',
  'writeFileSync',
] as const
const OPENED = ['open', 'read', 'write', 'fsync', 'ftruncate', 'fchmod', 'close', 'writeFile'] as const
/** Node takes these once, when it loads the part of `fs` that needs them. */
const TAKEN_SYNC = [
  'chmodSync',
  'copyFileSync',
  'existsSync',
  'lstatSync',
  'mkdirSync',
  'opendirSync',
  'readdirSync',
] as const
const TAKEN_TOO = [
  'readlinkSync',
  'realpathSync',
  'rmdirSync',
  'statSync',
  'symlinkSync',
  'unlinkSync',
  'utimesSync',
] as const
const TREES_SYNC = [...TAKEN_SYNC, ...TAKEN_TOO] as const
const TREES = ['chmod', 'lstat', 'readdir', 'rmdir', 'stat', 'unlink'] as const

const calledBy: { readonly [name: string]: readonly string[] } = {
  readFileSync: OPENED_SYNC,
  writeFileSync: OPENED_SYNC,
  appendFileSync: OPENED_SYNC,
  truncateSync: OPENED_SYNC,
  lchmodSync: OPENED_SYNC,
  rmSync: TREES_SYNC,
  rmdirSync: TREES_SYNC,
  cpSync: TREES_SYNC,
  globSync: TREES_SYNC,
  readFile: OPENED,
  writeFile: OPENED,
  appendFile: OPENED,
  truncate: OPENED,
  lchmod: OPENED,
  exists: ['access'],
  realpath: ['lstat', 'stat', 'readlink'],
  rm: TREES,
  rmdir: TREES,
}

/**
 * A function of `node:fs` that calls only Node's own functions; the same function if it calls none through
 * the public object.
 */
export function callingNodesOwn(name: string, original: Anything): Anything {
  const names = calledBy[name]
  if (names === undefined) return original
  const placed = placedFor(names, name.endsWith('Sync'))
  const called = (...args: unknown[]): unknown =>
    withPlaced(placed, () => Reflect.apply(original, nodeFs, args))
  return Object.assign(called, original)
}

type Own = { readonly name: string; readonly original: Anything }

/** Functions that call the same ones share a list. */
const placedLists = new Map<readonly string[], readonly Own[]>()

function placedFor(names: readonly string[], isSync: boolean): readonly Own[] {
  const known = placedLists.get(names)
  if (known !== undefined) return known
  const placed: Own[] = []
  for (const name of names) {
    const value: unknown = Reflect.get(nodeFs, name)
    if (typeof value !== 'function') continue
    const original = value as Anything
    placed.push({ name, original: isSync ? original : callingBack(original, () => placed) })
  }
  placedLists.set(names, placed)
  return placed
}

/** Node goes on in the callback, so the same functions are in place there. */
function callingBack(original: Anything, placed: () => readonly Own[]): Anything {
  return (...args: unknown[]): unknown => {
    const callback = args.at(-1)
    if (typeof callback !== 'function') return Reflect.apply(original, nodeFs, args)
    const then = (...results: unknown[]): unknown =>
      withPlaced(placed(), () => Reflect.apply(callback, undefined, results))
    return Reflect.apply(original, nodeFs, [...args.slice(0, -1), then])
  }
}

function withPlaced(own: readonly Own[], body: () => unknown): unknown {
  const before = own.map(({ name, original }) => {
    const value: unknown = Reflect.get(nodeFs, name)
    return value !== original && Reflect.set(nodeFs, name, original) ? value : null
  })
  try {
    return body()
  } finally {
    for (const [at, value] of before.entries())
      if (value !== null) Reflect.set(nodeFs, own[at]?.name ?? '', value)
  }
}
