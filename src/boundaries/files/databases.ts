/**
 * Databases that live in a file and reach it past `node:fs`: Node's own `node:sqlite`, and the packages `better-sqlite3` and `sqlite3`. One that is opened on
 * a file is a gap in a recording, and refused in a replay, which must neither read nor write it. One in memory is no part of the world.
 */
import { basename } from 'node:path'
import { label } from '../../base/index.ts'
import { sqliteOwner } from '../../real/sqlite.ts'
import { activeSession } from '../context.ts'
import { type Finder, seenWhenLoaded } from '../loaded-files.ts'
import type { AnyFunction, Patch, PatchSet } from '../patches.ts'

const FILESYSTEM = label('filesystem')
/** The native parts of the packages, by file name. */
const ADDONS: Readonly<Record<string, string>> = { 'better_sqlite3.node': 'better-sqlite3', 'node_sqlite3.node': 'sqlite3' }

export const databaseSet: PatchSet = {
  atOnce: () => seenWhenLoaded(addonPatches),
  late: [{ module: 'sqlite', make: sqlitePatches }],
}

function sqlitePatches(): Patch[] {
  const owner = sqliteOwner()
  return owner === null ? [] : [classPatch(owner.module, 'DatabaseSync', 'node:sqlite', owner.warn)]
}

const addonPatches: Finder = (file, exports) => {
  const name = ADDONS[basename(file)]
  const isKnown = name !== undefined && typeof exports === 'object' && exports !== null && typeof Reflect.get(exports, 'Database') === 'function'
  return isKnown ? [classPatch(exports, 'Database', name, () => undefined)] : []
}

function classPatch(owner: object, property: string, name: string, used: () => void): Patch {
  return { owner, property, replace: (descriptor) => ({ ...descriptor, value: watched(descriptor.value as AnyFunction, name, used) }) }
}

/** The class itself, seen through a proxy: `instanceof`, subclasses and static properties are as before. */
function watched(original: AnyFunction, name: string, used: () => void): AnyFunction {
  return new Proxy(original, {
    construct(target, args, newTarget) {
      used()
      const session = activeSession('filesystem')
      if (session !== null && !isInMemory(args[0])) {
        const reason = `${name}: ${pathText(args[0])}`
        if (session.mode === 'record') session.gap(FILESYSTEM, reason)
        // Nothing of this sort is on any tape: starting it throws the divergence, and keeps it.
        else session.start(FILESYSTEM, reason, () => undefined)
      }
      return Reflect.construct(target, args, newTarget)
    },
  })
}

/** Also what is refused because it is no path at all. An empty name is a file of SQLite's own, gone with the connection. */
function isInMemory(path: unknown): boolean {
  const text = pathText(path)
  return text === '' || text === ':memory:' || /^file:(?::memory:|.*[?&]mode=memory\b)/.test(text)
}

function pathText(path: unknown): string {
  if (typeof path === 'string') return path
  return path instanceof URL ? path.href : path instanceof Uint8Array ? Buffer.from(path).toString('utf8') : ''
}
