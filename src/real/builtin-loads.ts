/**
 * Reports when Node has loaded one of its own modules, before anyone, be it the program or another module of
 * Node's, has got hold of it.
 *
 * Node puts the name of each module that it has loaded on `process.moduleLoadList`. What is put on a list
 * goes by the prototype of the list, and there an object of ours is inserted before `Array.prototype`.
 * Whether this Node does so is tried out with a module that costs nothing; where it does not, and for modules
 * that are there already, is reported at once.
 */
import process from 'node:process'
import { publicModules } from './module-names.ts'

const list: unknown = Reflect.get(process, 'moduleLoadList')
const getBuiltin = process.getBuiltinModule.bind(process)
const LOADED = 'NativeModule '
/** Each is another module's own object under a name of its own. */
const TRIED_OUT = ['path/posix', 'path/win32', 'util/types']

type Waiting = { readonly module: string; readonly parts: readonly string[]; readonly onLoaded: () => void }

const waiting = new Set<Waiting>()
const forAny = new Set<(module: string) => void>()
let watching: boolean | null = null

/**
 * `parts`: modules inside of Node that have the same objects; once one of them is loaded, so is the module.
 */
export function whenLoaded(module: string, parts: readonly string[], onLoaded: () => void): Disposable {
  const entry: Waiting = { module, parts, onLoaded }
  watching ??= watch()
  if (!watching || isBuiltinLoaded(module)) onLoaded()
  else if (parts.some(isBuiltinLoaded)) {
    waiting.add(entry)
    getBuiltin(module)
  } else waiting.add(entry)
  return { [Symbol.dispose]: () => void waiting.delete(entry) }
}

/** Calls `onLoaded` for every public module: now for those that are loaded, later for the others. */
export function whenAnyLoaded(onLoaded: (module: string) => void): Disposable {
  watching ??= watch()
  for (const module of watching ? loadedModules() : publicModules) onLoaded(module)
  forAny.add(onLoaded)
  return { [Symbol.dispose]: () => void forAny.delete(onLoaded) }
}

function loadedModules(): string[] {
  const names = Array.isArray(list)
    ? list.filter((name) => typeof name === 'string' && name.startsWith(LOADED))
    : []
  return names.map((name) => String(name).slice(LOADED.length)).filter(isPublic)
}

/** The rest are parts inside of Node. */
function isPublic(module: string): boolean {
  return !module.startsWith('internal/') && !module.startsWith('node-inspect') && !module.startsWith('eval_')
}

export function isBuiltinLoaded(module: string): boolean {
  return Array.isArray(list) && list.includes(LOADED + module)
}

function watch(): boolean {
  const tried = TRIED_OUT.find((module) => !isBuiltinLoaded(module))
  if (!Array.isArray(list) || Object.getPrototypeOf(list) !== Array.prototype || tried === undefined)
    return false
  const between = new Proxy(Object.create(Array.prototype) as object, {
    set(_target, property, value: unknown, receiver: object) {
      const done = Reflect.defineProperty(receiver, property, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      })
      if (typeof value === 'string' && value.startsWith(LOADED)) loaded(value.slice(LOADED.length))
      return done
    },
  })
  Object.setPrototypeOf(list, between)
  let seen = false
  const entry: Waiting = { module: tried, parts: [], onLoaded: () => (seen = true) }
  waiting.add(entry)
  getBuiltin(`node:${tried}`)
  waiting.delete(entry)
  if (!seen) Object.setPrototypeOf(list, Array.prototype)
  return seen
}

function loaded(name: string): void {
  for (const entry of waiting) {
    if (entry.module === name) {
      waiting.delete(entry)
      entry.onLoaded()
    } else if (entry.parts.includes(name)) getBuiltin(entry.module)
  }
  if (isPublic(name)) for (const onLoaded of forAny) onLoaded(name)
}
