/**
 * Replaces properties of shared objects, and restores them exactly.
 *
 * Keyed by owner and property. The *descriptor* is restored, not the value: `performance` and `crypto` are
 * accessors on globalThis, and a plain value would break the next recorder in this process. Users are
 * counted, so that two sessions that share a patch cannot undo each other's; the second session adds no
 * second layer.
 *
 * A program may freeze what is patched. A patch that cannot be removed stays, counts no user, and is reused
 * by the next session; it passes every call on while no session is active. A patch that cannot be installed
 * is reported to `refused`, or is an error.
 */
import { syncBuiltinESMExports } from 'node:module'
import { RepriseError } from '../errors/index.ts'

export type Patch = {
  readonly owner: object
  readonly property: PropertyKey
  /** Returns the new descriptor, made from the existing one. */
  readonly replace: (original: PropertyDescriptor) => PropertyDescriptor
  /** Called when the last user is gone: undoes what was added while the patch was active. */
  readonly removed?: () => void
}

/** Patches of a module that few programs load: they can wait until it is loaded. */
export type LatePatches = {
  readonly module: string
  /** Internal modules of Node that have the same objects. */
  readonly parts?: readonly string[]
  readonly make: () => Patch[]
}

/** The patches of a boundary that are installed at once, and those that wait until their module is loaded. */
export type PatchSet = { readonly atOnce: () => Patch[]; readonly late: readonly LatePatches[] }

export function allPatches({ atOnce, late }: PatchSet): Patch[] {
  return [...atOnce(), ...late.flatMap(({ make }) => make())]
}

type Installed = {
  readonly original: PropertyDescriptor
  readonly placed: PropertyDescriptor
  readonly inherited: boolean
  users: number
  /** The list that the last user is in, and its patch. */
  list: readonly Patch[]
  patch: Patch
}

const installed = new Map<object, Map<PropertyKey, Installed>>()

/**
 * Installs all patches or none, then updates the named imports of built-in modules, unless no code can have
 * imported what is patched.
 */
export function installPatches(
  patches: readonly Patch[],
  isImported = true,
  refused: (patch: Patch) => void = refuseFrozen,
): Disposable {
  const done: Patch[] = []
  try {
    for (const patch of patches) {
      if (installOne(patch, patches)) done.push(patch)
      else refused(patch)
    }
  } catch (error) {
    for (const patch of done.reverse()) removeOne(patch)
    throw error
  }
  if (isImported) updateImports()
  let disposed = false
  return {
    [Symbol.dispose]() {
      if (disposed) return
      disposed = true
      for (const patch of [...done].reverse()) removeOne(patch)
      syncBuiltinESMExports()
    },
  }
}

let isPutOff = false
let isDue = false

/** Updates the named imports of built-in modules, by default at once. */
function updateImports(): void {
  if (isPutOff) isDue = true
  else syncBuiltinESMExports()
}

/** Installs several lists, and updates named imports once for all of them: Node goes through all its modules. */
export function updatingImportsOnce<T>(install: () => T): T {
  if (isPutOff) return install()
  isPutOff = true
  try {
    return install()
  } finally {
    isPutOff = false
    if (isDue) syncBuiltinESMExports()
    isDue = false
  }
}

function refuseFrozen({ property }: Patch): never {
  const name = String(property)
  throw new RepriseError(
    'boundary-frozen',
    `${name} cannot be recorded: its owner is frozen, or the property is not configurable`,
    {
      details: { property: name },
      hint: 'start the session before the program freezes it',
    },
  )
}

/**
 * The value that a patch has installed; undefined if none is. A different value there belongs to other code.
 */
export function placedBy(owner: object, property: PropertyKey): PropertyDescriptor | undefined {
  return installed.get(owner)?.get(property)?.placed
}

/**
 * The usual patch: replaces a function by another one with the name, length and own properties of the
 * original.
 */
export function patchFunction(
  owner: object,
  property: PropertyKey,
  make: (original: AnyFunction) => AnyFunction,
): Patch {
  return {
    owner,
    property,
    replace(descriptor) {
      const original: unknown = descriptor.value
      if (typeof original !== 'function') throw new TypeError(`${String(property)} is no function`)
      return { ...descriptor, value: disguise(make(original as AnyFunction), original as AnyFunction) }
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a patch takes whatever the original takes
export type AnyFunction = (this: any, ...args: any[]) => any

/**
 * Copies name, length and own properties (such as `util.promisify.custom`), so that the replacement looks
 * like the original.
 */
export function disguise(made: AnyFunction, original: AnyFunction): AnyFunction {
  const replacement =
    Object.hasOwn(made, 'prototype') && !Object.hasOwn(original, 'prototype') ? asMethod(made) : made
  for (const key of Reflect.ownKeys(original)) {
    if (key === 'prototype' || key === 'arguments' || key === 'caller') continue
    const descriptor = Object.getOwnPropertyDescriptor(original, key)
    const own = Object.getOwnPropertyDescriptor(replacement, key)
    if (descriptor === undefined) continue
    const isNaming = key === 'name' || key === 'length'
    if (own === undefined || (isNaming && own.configurable === true && own.value !== descriptor.value))
      Object.defineProperty(replacement, key, descriptor)
  }
  return replacement
}

/** The same, as a function that `new` rejects: `prototype` cannot be removed from a function that has it. */
function asMethod(made: AnyFunction): AnyFunction {
  const { method } = {
    method(this: unknown, ...args: never[]): unknown {
      return Reflect.apply(made, this, args)
    },
  }
  for (const key of Reflect.ownKeys(made)) {
    // Name and length are those of the original.
    if (key !== 'prototype' && key !== 'name' && key !== 'length')
      Object.defineProperty(method, key, Object.getOwnPropertyDescriptor(made, key) ?? {})
  }
  return method
}

/**
 * False if the owner does not accept the patch. Another patch of the same property in the same list is a mistake
 * in the list: it would count as a second user of the first, and do nothing.
 */
function installOne(patch: Patch, list: readonly Patch[]): boolean {
  const { owner, property, replace } = patch
  const properties = installed.get(owner)
  const known = properties?.get(property)
  if (known !== undefined) {
    if (known.list === list && known.patch !== patch)
      throw new TypeError(`two patches of one property in one list: ${String(property)}`)
    Object.assign(known, { users: known.users + 1, list, patch })
    return true
  }
  const own = Object.getOwnPropertyDescriptor(owner, property)
  const original = own ?? inheritedDescriptor(owner, property)
  if (original === undefined) throw new TypeError(`nothing to patch: ${String(property)}`)
  if (own?.configurable === false && own.writable !== true) return false
  const placed = replace(original)
  if (!Reflect.defineProperty(owner, property, placed)) return false
  const made: Installed = { original, placed, inherited: own === undefined, users: 1, list, patch }
  if (properties === undefined) installed.set(owner, new Map([[property, made]]))
  else properties.set(property, made)
  return true
}

function removeOne({ owner, property, removed }: Patch): void {
  const properties = installed.get(owner)
  const known = properties?.get(property)
  if (properties === undefined || known === undefined) return
  known.users -= 1
  if (known.users > 0) return
  const restored = known.inherited
    ? Reflect.deleteProperty(owner, property)
    : Reflect.defineProperty(owner, property, known.original)
  if (restored) properties.delete(property)
  if (properties.size === 0) installed.delete(owner)
  removed?.()
}

function inheritedDescriptor(owner: object, property: PropertyKey): PropertyDescriptor | undefined {
  for (
    let object: object | null = Object.getPrototypeOf(owner);
    object !== null;
    object = Object.getPrototypeOf(object)
  ) {
    const descriptor = Object.getOwnPropertyDescriptor(object, property)
    if (descriptor !== undefined) return descriptor
  }
  return undefined
}
