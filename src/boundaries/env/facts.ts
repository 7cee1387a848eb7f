/**
 * Facts of process and machine. Each is a table row: where it is read, whether it can change while the
 * program runs, and its form in JSON.
 *
 * A fact that cannot change is read once per session and kept.
 */
import { type Label, label } from '../../base/index.ts'
import { processOwners } from '../../real/process-owners.ts'
import { callersOf, isCalledFrom } from '../caller.ts'
import { activeSession, outside } from '../context.ts'
import { changeFolder } from '../files/change-folder.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { isReadForNode } from './process-env.ts'
import { factValue } from './recorded-fact.ts'
import { cpuUsage, memoryUsage, osUserInfo } from './shaped-facts.ts'

/** Functions without arguments whose result never changes. */
const LASTING_OS = [
  'arch',
  'availableParallelism',
  'endianness',
  'homedir',
  'hostname',
  'machine',
  'platform',
  'release',
  'tmpdir',
  'totalmem',
  'type',
  'version',
]
/** Functions whose result changes from call to call. */
const PASSING_OS = ['cpus', 'freemem', 'getPriority', 'loadavg', 'networkInterfaces', 'uptime']
const PASSING_PROCESS = [
  'availableMemory',
  'constrainedMemory',
  'getegid',
  'geteuid',
  'getgid',
  'getgroups',
  'getuid',
  'resourceUsage',
]
const PROPERTIES = ['arch', 'pid', 'platform', 'ppid']

export function factPatches(): Patch[] {
  const { os, process } = processOwners
  return [
    ...present(os, LASTING_OS).map((name) => functionFact(os, name, label(`os.${name}`), 'lasting')),
    ...present(os, PASSING_OS).map((name) => functionFact(os, name, label(`os.${name}`), 'passing')),
    patchFunction(os, 'userInfo', osUserInfo),
    ...present(process, PASSING_PROCESS).map((name) =>
      functionFact(process, name, label(`process.${name}`), 'passing'),
    ),
    ...present(process, PROPERTIES).map((name) => propertyFact(process, name)),
    patchFunction(process, 'memoryUsage', memoryUsage),
    ...present(process, ['cpuUsage', 'threadCpuUsage']).map((name) =>
      patchFunction(process, name, cpuUsage(label(`process.${name}`))),
    ),
    patchFunction(process, 'cwd', cwd),
    patchFunction(process, 'chdir', chdir),
  ]
}

/**
 * What a session has read and will not read again: only texts and numbers, so that it can be returned as it
 * is.
 */
const lasting = sessionField(() => new Map<Label, unknown>())

function readFact(
  session: Session,
  api: Label,
  duration: 'lasting' | 'passing',
  perform: () => unknown,
): unknown {
  const kept = duration === 'lasting' ? lasting.get(session) : undefined
  if (kept?.has(api)) return kept.get(api)
  // Node's own function reads other facts, which the program did not ask for.
  const text = session.readFact(api, api, () => JSON.stringify(outside(perform)) ?? null)
  const value: unknown = text === null ? undefined : factValue(api, text)
  kept?.set(api, value)
  return value
}

function isKnown(session: Session, api: Label): boolean {
  return lasting.get(session).has(api)
}

function functionFact(owner: object, name: string, api: Label, duration: 'lasting' | 'passing'): Patch {
  return patchFunction(owner, name, (original) => {
    const standIn = function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('env')
      if (session === null || args.length > 0) return Reflect.apply(original, this, args)
      return readFact(session, api, duration, () => Reflect.apply(original, this, args))
    }
    // `${os.hostname}` returns the name.
    if (Symbol.toPrimitive in original)
      Object.defineProperty(standIn, Symbol.toPrimitive, toPrimitive(original, standIn))
    return standIn
  })
}

function toPrimitive(original: AnyFunction, standIn: () => unknown): PropertyDescriptor {
  return { ...Object.getOwnPropertyDescriptor(original, Symbol.toPrimitive), value: () => standIn() }
}

function propertyFact(owner: object, name: string): Patch {
  const api = label(`process.${name}`)
  // Modules of Node read these when they are loaded.
  const isReadAtLoad = name === 'platform' || name === 'arch'
  return {
    owner,
    property: name,
    replace(descriptor) {
      const real = (): unknown =>
        descriptor.get === undefined ? descriptor.value : Reflect.apply(descriptor.get, owner, [])
      // Node's own reads get the same answer: the pid in its warnings on stderr is then the recorded one. A
      // fact that no tape has is the real one.
      const get = (): unknown => {
        const session = activeSession('env') ?? named
        if (
          session !== null &&
          isReadAtLoad &&
          !isKnown(session, api) &&
          (isReadForNode() || isCalledFrom(get, 'node:'))
        )
          return real()
        return session === null ? real() : (readFact(session, api, 'lasting', real) ?? real())
      }
      return {
        get,
        set: descriptor.set,
        enumerable: descriptor.enumerable,
        configurable: descriptor.configurable,
      } as PropertyDescriptor
    },
  }
}

let named: Session | null = null

/**
 * `import { pid } from 'node:process'` has the value of the property at the moment when the patches are
 * installed: for a whole process, before its session begins.
 */
export function namedFactsOf<T>(session: Session, install: () => T): T {
  named = session
  try {
    return install()
  } finally {
    named = null
  }
}

const CWD = label('process.cwd')

function cwd(original: AnyFunction): AnyFunction {
  const standIn = function (this: unknown): unknown {
    const session = activeSession('env')
    const real: unknown = Reflect.apply(original, this, [])
    // Usually the directory is the recorded one, and then the caller does not matter.
    if (session === null || lasting.get(session).get(CWD) === real || isNodesBehindPath(standIn)) return real
    return readFact(session, CWD, 'lasting', () => real)
  }
  return standIn
}

/** The only function that changes the working directory: the next read of it is a new fact. */
function chdir(original: AnyFunction): AnyFunction {
  const standIn = function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('env')
    // In a replay the folder need not exist; whether it did when recorded is on the tape.
    const result = changeFolder(standIn, args, () => Reflect.apply(original, this, args))
    if (session !== null) lasting.get(session).delete(CWD)
    return result
  }
  return standIn
}

/** `path.resolve` reads the directory on behalf of its caller: the program, or Node's loader. */
function isNodesBehindPath(callee: AnyFunction): boolean {
  const behind = callersOf(callee, 4).find(
    (file) => file !== 'node:path' && file !== 'node:url' && file !== 'node:internal/url',
  )
  return behind?.startsWith('node:') === true
}

function present(owner: object, names: readonly string[]): string[] {
  return names.filter((name) => Object.hasOwn(owner, name))
}
