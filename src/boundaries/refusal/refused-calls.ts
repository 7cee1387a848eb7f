/**
 * Refuses what is not captured: every function of Node's modules and of `process` that the table of
 * coverage.ts lists neither as captured nor as harmless, and every function that the table does not list.
 *
 * A module is checked when Node loads it, by its property descriptors: no getter is called, and a module that
 * is never loaded costs nothing.
 *
 * Decision 0290.
 */
import { whenAnyLoaded } from '../../real/builtin-loads.ts'
import { builtinModule, noFunctions } from '../../real/module-names.ts'
import { realProcess, startedAs } from '../../real/program.ts'
import { installPatches, type LatePatches, type Patch } from '../patches.ts'
import { compileCachePatches } from './compile-cache.ts'
import { guards } from './guards.ts'
import { nativeHandlePatches } from './native-handles.ts'
import { type Refusal, refusalPatches } from './refuse.ts'
import { type Holder, holdersOf, isEnumerated, modulesWithRefused, VALUES_ONLY } from './table-of-module.ts'

/**
 * Active until disposed of. `refused` is called for each patch that its owner does not accept. Named imports
 * of modules that are already loaded are updated.
 */
export function installRefusals(refused: (patch: Patch) => void): Disposable {
  const isKnown = isEnumerated(startedAs.version)
  const patches: Patch[] = [...patchesOfProcess(isKnown)]
  const installed: Disposable[] = []
  let isLoading = false
  const watch = whenAnyLoaded((module) => {
    const found = refusedIn(module, isKnown)
    if (!isLoading) patches.push(...found)
    // During a load no code has imported the module yet: see late-patches.ts.
    else if (found.length > 0) installed.push(installPatches(withoutRepeats(found), false, refused))
  })
  installed.push(installPatches(withoutRepeats(patches), true, refused))
  isLoading = true
  return {
    [Symbol.dispose]() {
      watch[Symbol.dispose]()
      for (const each of installed.reverse()) each[Symbol.dispose]()
    },
  }
}

/** Two names of one function share its prototype. */
function withoutRepeats(patches: readonly Patch[]): Patch[] {
  const seen = new Map<object, Set<PropertyKey>>()
  return patches.filter(({ owner, property }) => {
    const known = seen.get(owner) ?? new Set()
    if (known.has(property)) return false
    seen.set(owner, known.add(property))
    return true
  })
}

function patchesOfProcess(isKnown: boolean): Patch[] {
  return [
    ...patchesIn(realProcess, holdersOf('process', isKnown) ?? [], 'process', isKnown),
    ...reportPatch(isKnown),
  ]
}

/** `process.report` is created when it is first read, and checked then. */
function reportPatch(isKnown: boolean): Patch[] {
  const get = Object.getOwnPropertyDescriptor(realProcess, 'report')?.get
  if (get === undefined) return []
  let installed: Disposable | null = null
  const read = function (this: unknown): unknown {
    const report: unknown = Reflect.apply(get, this, [])
    if (installed === null && typeof report === 'object' && report !== null) {
      const holders = (holdersOf('process', isKnown) ?? []).filter(({ path }) => path[0] === 'report')
      installed = installPatches(patchesIn({ report }, holders, 'process', isKnown), false)
    }
    return report
  }
  const removed = (): void => {
    installed?.[Symbol.dispose]()
    installed = null
  }
  return [{ owner: realProcess, property: 'report', replace: (found) => ({ ...found, get: read }), removed }]
}

/** What is refused of a module that Node has loaded. `isKnown`: the table has every name of this Node. */
export function refusedIn(module: string, isKnown: boolean): Patch[] {
  if (VALUES_ONLY.has(module) || (isKnown && !hasRefused(module))) return []
  const exports = builtinModule(module)
  if (exports === undefined) return []
  return patchesIn(exports, holdersOf(module, isKnown) ?? [UNKNOWN_MODULE], module, isKnown)
}

let withRefused: ReadonlySet<string> | null = null

function hasRefused(module: string): boolean {
  withRefused ??= new Set([
    ...modulesWithRefused(),
    ...guards.map((guard) => guard.module),
    ...MORE.map((more) => more.module),
  ])
  return withRefused.has(module)
}

const UNKNOWN_MODULE: Holder = {
  place: '',
  path: [],
  cleared: new Set(),
  refused: [],
  boundaryOf: () => 'process',
}

function patchesIn(root: object, holders: readonly Holder[], module: string, isKnown: boolean): Patch[] {
  const listed = holders.flatMap((holder) => {
    const owner = follow(root, holder.path)
    return owner === null ? [] : refusedOf(owner, holder, [module, ...holder.path].join('.'), isKnown)
  })
  const guarded = guards.flatMap(({ module: of, path, name, ...rule }) => {
    const owner = of === module ? follow(root, path) : null
    return owner === null
      ? []
      : refusalPatches(owner, name, { name: [module, ...path, name].join('.'), ...rule })
  })
  return [...listed, ...guarded, ...MORE.flatMap(({ module: of, make }) => (of === module ? make() : []))]
}

/** Functions that need more than a name. */
const MORE: readonly LatePatches[] = [compileCachePatches, ...nativeHandlePatches]

function refusedOf(owner: object, holder: Holder, place: string, isKnown: boolean): Patch[] {
  const { refused, boundaryOf } = holder
  const isPrototype = place.endsWith('#')
  const found: Patch[] = []
  for (const name of isKnown ? refused : Object.getOwnPropertyNames(owner)) {
    // A name has one mark in the table: one that is listed as refused is not cleared.
    if ((!isKnown && holder.cleared.has(name)) || noFunctions.has(name)) continue
    const descriptor = Object.getOwnPropertyDescriptor(owner, name)
    if (descriptor === undefined) continue
    const { value, set } = descriptor
    const isAccessor = !('value' in descriptor)
    if (
      isAccessor
        ? isPrototype && set === undefined
        : typeof value !== 'function' && (isPrototype || !isPlainObject(value))
    )
      continue
    const refusal: Refusal = { name: `${place.replace(/#$/, '')}.${name}`, boundary: boundaryOf(name) }
    found.push(
      ...(isAccessor || typeof value === 'function'
        ? refusalPatches(owner, name, refusal)
        : functionsIn(value, refusal)),
    )
  }
  return found
}

/** An object that the table does not list: its functions are refused. */
function functionsIn(owner: object, { name, boundary }: Refusal): Patch[] {
  return Object.getOwnPropertyNames(owner).flatMap((each) => {
    const isFunction = typeof Object.getOwnPropertyDescriptor(owner, each)?.value === 'function'
    return isFunction ? refusalPatches(owner, each, { name: `${name}.${each}`, boundary }) : []
  })
}

/**
 * The object at the end of a path; null if this Node does not have it, or creates it when it is first read.
 */
function follow(root: object, path: readonly string[]): object | null {
  let owner: unknown = root
  for (const step of path) {
    const name = step.replace(/#$/, '')
    if ((typeof owner !== 'object' && typeof owner !== 'function') || owner === null) return null
    owner = Object.getOwnPropertyDescriptor(owner, name)?.value
    if (step !== name) owner = typeof owner === 'function' ? owner.prototype : null
  }
  return (typeof owner === 'object' && owner !== null) || typeof owner === 'function' ? owner : null
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
