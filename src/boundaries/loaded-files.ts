/**
 * Boundaries at the exports of a package: when a CommonJS file has been loaded, its exports are checked, and
 * its functions are replaced if a boundary knows the file. One patch serves all boundaries. Files that were
 * loaded before a session are checked when it begins.
 */
import { loadedModules, modulePrototype } from '../real/module-owners.ts'
import { type Patch, patchFunction } from './patches.ts'

/** What a boundary replaces in the exports of this file. */
export type Finder = (file: string, exports: unknown) => Patch[]

const finders = new Set<Finder>()

/** The patches that pass every loaded file to `finder`. */
export function seenWhenLoaded(finder: Finder): Patch[] {
  finders.add(finder)
  return [...loadedModules().flatMap(([file, exports]) => finder(file, exports)), loadPatch]
}

const loadPatch = patchFunction(modulePrototype, 'load', (original) => {
  return function (this: object, ...args: unknown[]): unknown {
    const result: unknown = Reflect.apply(original, this, args)
    const [file] = args
    if (typeof file === 'string') watchLoaded(file, Reflect.get(this, 'exports'))
    return result
  }
})

/** For a file that is loaded without the module loader: a native one, by `process.dlopen`. */
export function watchLoaded(file: string, exports: unknown): void {
  for (const finder of finders) for (const patch of finder(file, exports)) stayOn(patch)
}

const stayed = new WeakMap<object, Set<PropertyKey>>()

/**
 * Files loaded during a session have no original state to restore. Their functions check for a session at
 * each call, and call the original if there is none.
 */
export function stayOn({ owner, property, replace }: Patch): void {
  const known = stayed.get(owner) ?? new Set()
  const descriptor = Object.getOwnPropertyDescriptor(owner, property)
  if (known.has(property) || descriptor === undefined || descriptor.configurable !== true) return
  stayed.set(owner, known.add(property))
  Object.defineProperty(owner, property, replace(descriptor))
}
