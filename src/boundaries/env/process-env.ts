/**
 * `process.env` as a Proxy over the native object, which keeps its special behaviour: converting values to
 * text, rejecting symbols, changing the time zone when `TZ` is set, inheritance by children.
 *
 * Reads are facts of the session; writes reach the native object in both modes. What Node's own JavaScript
 * reads for itself (its loader, coverage, the environment of a child) is not a read of the program.
 *
 * Decisions 0073 and 0212.
 */
import { inspect } from 'node:util'
import { processOwners } from '../../real/process-owners.ts'
import { callersOf } from '../caller.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction, Patch } from '../patches.ts'
import { copiedForChild, type NativeEnv, ownValue, type Variables, variablesOf } from './variables.ts'

export function envPatch(): Patch {
  return {
    owner: processOwners.process,
    property: 'env',
    replace: (descriptor) => ({ ...descriptor, value: proxied(descriptor.value) }),
  }
}

function proxied(native: NativeEnv): NativeEnv {
  const handler: ProxyHandler<NativeEnv> = {
    get(_shadow, name, receiver) {
      if (forNode > 0 && typeof name === 'string') return copied(native, name)
      const variables = readable(name, handler.get)
      if (variables === null) return Reflect.get(native, name, receiver === proxy ? native : receiver)
      return variables.read(String(name)) ?? undefined
    },
    has(_shadow, name) {
      const variables = readable(name, handler.has)
      return variables === null ? Reflect.has(native, name) : variables.read(String(name)) !== null
    },
    getOwnPropertyDescriptor(_shadow, name) {
      // A caller that lists all names calls this for each; `ownKeys` has already recorded them.
      if (forNode > 0 && listed?.has(name) === true) return LISTED
      const variables = readable(name, handler.getOwnPropertyDescriptor)
      if (variables === null) return Reflect.getOwnPropertyDescriptor(native, name)
      const value = variables.read(String(name))
      return value === null ? undefined : { value, writable: true, enumerable: true, configurable: true }
    },
    ownKeys() {
      const session = activeSession('env')
      if (forNode > 0)
        return list(
          listsWrittenOnly && session !== null
            ? variablesOf(session, native).written()
            : Reflect.ownKeys(native),
          native,
        )
      if (session === null || isNodes(handler.ownKeys)) return Reflect.ownKeys(native)
      return variablesOf(session, native).names()
    },
    set(_shadow, name, value, receiver) {
      const done = Reflect.set(native, name, value, receiver === proxy ? native : receiver)
      noteWrite(name)
      return done
    },
    deleteProperty(_shadow, name) {
      const done = Reflect.deleteProperty(native, name)
      noteWrite(name)
      return done
    },
    defineProperty(_shadow, name, descriptor) {
      const done = Reflect.defineProperty(native, name, descriptor)
      noteWrite(name)
      return done
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(native),
    // The native one cannot be frozen either.
    preventExtensions: () => false,
  }

  /** What the session knows, if this read is one of the program's own; null if the native object answers. */
  function readable(name: PropertyKey, trap: unknown): Variables | null {
    if (forNode > 0) return null
    const session = activeSession('env')
    if (session === null || typeof name !== 'string' || isOfEveryObject(name)) return null
    const variables = variablesOf(session, native)
    return variables.knows(name) || !isNodes(trap) ? variables : null
  }

  function noteWrite(name: PropertyKey): void {
    const session = activeSession('env')
    if (session !== null && typeof name === 'string')
      variablesOf(session, native).wrote(name, ownValue(native, name))
  }

  // `console.log` shows the target of a Proxy. That must not be the real environment: so the target is an
  // empty object, which prints what the program sees.
  const shadow: NativeEnv = {}
  Object.defineProperty(shadow, inspect.custom, { value: () => ({ ...proxy }), configurable: true })
  const proxy = new Proxy(shadow, handler)
  return proxy
}

/**
 * Names that the language itself reads from any object (`toString`, `toJSON`, `then`): a variable of such a
 * name is not distinguished.
 */
function isOfEveryObject(name: string): boolean {
  return name in Object.prototype || name === 'toJSON' || name === 'then'
}

let forNode = 0
let listsWrittenOnly = false
/** The names that Node was given, while it copies. */
let listed: ReadonlySet<string | symbol> | null = null
/** Only its presence matters: the value is read separately. */
const LISTED: PropertyDescriptor = { value: '', writable: true, enumerable: true, configurable: true }

function list(names: (string | symbol)[], native: NativeEnv): (string | symbol)[] {
  // A variable that the program has deleted is missing.
  const there = listsWrittenOnly ? names.filter((name) => Object.hasOwn(native, name)) : names
  listed = new Set(there)
  return there
}

/**
 * While `body` runs, every read is one of Node's own: it copies the environment for a child, and checking the
 * stack each time would cost more than the copy. A replay has no child, and only variables that the program
 * has set are copied, because only these are compared.
 */
export function readForNode<T>(isLive: boolean, body: () => T): T {
  const before = listsWrittenOnly
  copiedForChild.clear()
  forNode += 1
  listsWrittenOnly = !isLive
  try {
    return body()
  } finally {
    forNode -= 1
    listsWrittenOnly = before
    listed = null
    copiedForChild.clear()
  }
}

/** Whether Node prepares a child, which takes no stack to find out. */
export function isReadForNode(): boolean {
  return forNode > 0
}

/** Whether Node has copied all of `process.env` for the child that it is about to start. */
export function isWholeCopy(): boolean {
  return listed !== null
}

function copied(native: NativeEnv, name: string): string | undefined {
  const value = native[name]
  copiedForChild.set(name, value)
  return value
}

function isNodes(trap: unknown): boolean {
  return callersOf(trap as AnyFunction, 1)[0]?.startsWith('node:') === true
}
