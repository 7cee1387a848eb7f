/**
 * Databases in a file that do not use `node:fs`: Node's own `node:sqlite`, and the packages `better-sqlite3`
 * and `sqlite3`. A database opened on a file is a gap in a recording, and refused in a replay, which must
 * neither read nor write it. A database in memory is no input, until a statement opens a file.
 */
import { isUint8Array } from 'node:util/types'
import { label } from '../../base/index.ts'
import { sqliteOwner } from '../../real/sqlite.ts'
import { packageOf } from '../caller.ts'
import { activeSession } from '../context.ts'
import { type Finder, seenWhenLoaded } from '../loaded-files.ts'
import { type AnyFunction, type Patch, type PatchSet, patchFunction } from '../patches.ts'
import { opensFile } from './sql-files.ts'

const FILESYSTEM = label('filesystem')
/** Packages whose native part has these classes, whatever the name of the file. */
const PACKAGES: ReadonlySet<string> = new Set(['better-sqlite3', 'sqlite3'])
/** Methods of a database whose first argument is SQL. */
const TAKES_SQL = ['exec', 'prepare']
/** Methods that open another file, or load native code. */
const OPENS = ['backup', 'loadExtension']

export const databaseSet: PatchSet = {
  atOnce: () => seenWhenLoaded(addonPatches),
  late: [{ module: 'sqlite', make: sqlitePatches }],
}

function sqlitePatches(): Patch[] {
  const owner = sqliteOwner()
  if (owner === null) return []
  const database: unknown = Reflect.get(owner.module, 'DatabaseSync')
  if (typeof database !== 'function') return []
  const value = watched(asFunction(database), 'node:sqlite', owner.warn)
  // The coverage table refuses `backup` and `loadExtension` of Node's own.
  return [
    classPatch(owner.module, 'DatabaseSync', value),
    ...methodPatches(database.prototype, 'node:sqlite', []),
  ]
}

export function isDatabasePackage(name: string): boolean {
  return PACKAGES.has(name)
}

const addonPatches: Finder = (file, exports) => {
  const name = packageOf(file)
  if (name === null || !PACKAGES.has(name) || !file.endsWith('.node')) return []
  return typeof exports === 'object' && exports !== null ? databaseAddonPatches(name, exports) : []
}

/** What is replaced in the native part of such a package. */
export function databaseAddonPatches(name: string, exports: object): Patch[] {
  const database: unknown = Reflect.get(exports, 'Database')
  const statement: unknown = Reflect.get(exports, 'Statement')
  if (typeof database !== 'function') return []
  return [
    classPatch(
      exports,
      'Database',
      watched(asFunction(database), name, () => undefined),
    ),
    ...methodPatches(database.prototype, name, OPENS),
    // For sqlite3, which creates statements with the class itself.
    ...(typeof statement === 'function' && name === 'sqlite3'
      ? [classPatch(exports, 'Statement', statements(asFunction(statement), name))]
      : []),
  ]
}

function classPatch(owner: object, property: string, value: AnyFunction): Patch {
  return { owner, property, replace: (descriptor) => ({ ...descriptor, value }) }
}

/** The one place that casts a function of a package to its type. */
function asFunction(value: unknown): AnyFunction {
  return value as AnyFunction
}

function methodPatches(prototype: object, name: string, opening: readonly string[]): Patch[] {
  const guarded = (method: string, opens: (args: readonly unknown[]) => boolean): Patch[] => {
    if (typeof Reflect.get(prototype, method) !== 'function') return []
    return [
      patchFunction(prototype, method, (original) => {
        return function (this: unknown, ...args: unknown[]): unknown {
          if (opens(args)) passOrRefuse(`${name}: ${method}`)
          return Reflect.apply(original, this, args)
        }
      }),
    ]
  }
  return [
    ...TAKES_SQL.flatMap((method) => guarded(method, ([sql]) => opensFile(sql))),
    ...opening.flatMap((method) => guarded(method, () => true)),
  ]
}

function statements(original: AnyFunction, name: string): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      if (opensFile(args[1])) passOrRefuse(`${name}: Statement`)
      return Reflect.construct(target, args, newTarget)
    },
  })
}

function passOrRefuse(reason: string): void {
  const session = activeSession('filesystem')
  if (session?.isLive(FILESYSTEM) === true) session.gap(FILESYSTEM, reason)
  // No tape has such an effect: starting it throws the divergence, and keeps it.
  else session?.start(FILESYSTEM, reason, () => undefined)
}

/** The class itself, behind a proxy: `instanceof`, subclasses and static properties stay the same. */
function watched(original: AnyFunction, name: string, used: () => void): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      used()
      if (!isInMemory(args[0])) passOrRefuse(`${name}: ${pathText(args[0])}`)
      return Reflect.construct(target, args, newTarget)
    },
  })
}

/**
 * Also true for values that are rejected because they are no path. An empty name is a private file of SQLite,
 * removed with the connection.
 */
function isInMemory(path: unknown): boolean {
  const text = pathText(path)
  return text === '' || text === ':memory:' || /^file:(?::memory:|.*[?&]mode=memory\b)/.test(text)
}

function pathText(path: unknown): string {
  if (typeof path === 'string') return path
  if (isUint8Array(path)) return Buffer.from(path).toString('utf8')
  // Node checks only this property.
  const href: unknown = typeof path === 'object' && path !== null ? Reflect.get(path, 'href') : undefined
  return typeof href === 'string' ? href : ''
}
