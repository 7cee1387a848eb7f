/**
 * Boundaries at the door of a package: the exports of a CommonJS file are checked when it has been loaded,
 * and its functions are replaced if a boundary knows it. One patch for all of them; what was loaded before a
 * session began is gone through when it begins.
 */
import { loadedModules, modulePrototype } from '../real/module-owners.ts'
import { type Patch, patchFunction } from './patches.ts'

/** What a boundary replaces in what this file gives out. */
export type Finder = (file: string, exports: unknown) => Patch[]

const finders = new Set<Finder>()

/** The patches by which `finder` gets to see every file. */
export function seenWhenLoaded(finder: Finder): Patch[] {
  finders.add(finder)
  return [...loadedModules().flatMap(([file, exports]) => finder(file, exports)), loadPatch]
}

const loadPatch = patchFunction(modulePrototype, 'load', (original) => {
  return function (this: object, ...args: unknown[]): unknown {
    const result: unknown = Reflect.apply(original, this, args)
    const [file] = args
    if (typeof file === 'string')
      for (const finder of finders)
        for (const patch of finder(file, Reflect.get(this, 'exports'))) stayOn(patch)
    return result
  }
})

const stayed = new WeakMap<object, Set<PropertyKey>>()

/**
 * On what is loaded during a session there is nothing to put back to: its functions look whose call it is,
 * and are the original's without a session.
 */
export function stayOn({ owner, property, replace }: Patch): void {
  const known = stayed.get(owner) ?? new Set()
  const descriptor = Object.getOwnPropertyDescriptor(owner, property)
  if (known.has(property) || descriptor === undefined || descriptor.configurable !== true) return
  stayed.set(owner, known.add(property))
  Object.defineProperty(owner, property, replace(descriptor))
}
