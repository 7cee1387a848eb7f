/**
 * Children on a pseudo-terminal, at the exports of the package that starts them: `node-pty` and its builds
 * under other names (`@lydell/node-pty`), however they are loaded. A child is a stand-in in both modes; the
 * real one is started only while recording.
 *
 * The native part is watched as well: a terminal that is opened without these functions is a gap in a
 * recording, and refused in a replay.
 */
import { AsyncResource } from 'node:async_hooks'
import { basename } from 'node:path'
import { label } from '../../base/index.ts'
import { activeSession, outside } from '../context.ts'
import { type Finder, seenWhenLoaded } from '../loaded-files.ts'
import { type AnyFunction, disguise, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { startChild } from './terminal-child.ts'

const TERMINAL = label('terminal')
const PACKAGE = 'node-pty'
const NATIVE = 'pty.node'
/** Three names for one function; the last two are old. */
const STARTS = ['spawn', 'fork', 'createTerminal'] as const

export function terminalPatches(): Patch[] {
  return seenWhenLoaded(patchesFor)
}

/** By the file that was loaded: one of the package, or its native part. */
const patchesFor: Finder = (file, exports) => {
  if (basename(file) === NATIVE) return hasFunctions(exports, 'fork', 'open') ? nativePatches(exports) : []
  return file.includes(PACKAGE) && hasFunctions(exports, 'spawn', 'open') ? packagePatches(exports) : []
}

function packagePatches(exports: object): Patch[] {
  return [
    ...STARTS.filter((name) => typeof Reflect.get(exports, name) === 'function').map((name) =>
      patchFunction(exports, name, (original) =>
        whenInSession(original, (session, args) => startChild(session, original, args)),
      ),
    ),
    patchFunction(exports, 'open', (original) =>
      whenInSession(original, (session, args) =>
        passOrRefuse(session, original, args, 'a terminal without a child'),
      ),
    ),
  ]
}

/**
 * Our own start of the real child runs outside any session, and passes. Its end callback runs outside too:
 * the package sets a timer in it, and from Node 24 on a call from an addon has no context of its own.
 */
function nativePatches(exports: object): Patch[] {
  return ['fork', 'open'].map((name) =>
    patchFunction(exports, name, (original) => {
      const inContext: AnyFunction = (...args) => Reflect.apply(original, exports, args.map(bound))
      return whenInSession(disguise(inContext, original), (session, args) =>
        passOrRefuse(session, original, args, 'a terminal opened past node-pty'),
      )
    }),
  )
}

function bound(argument: unknown): unknown {
  return typeof argument === 'function' ? AsyncResource.bind(argument as AnyFunction) : argument
}

function whenInSession(
  original: AnyFunction,
  inSession: (session: Session, args: readonly unknown[]) => unknown,
): AnyFunction {
  return disguise(function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('terminal')
    return session === null ? Reflect.apply(original, this, args) : inSession(session, args)
  }, original)
}

function passOrRefuse(
  session: Session,
  original: AnyFunction,
  args: readonly unknown[],
  what: string,
): unknown {
  if (session.isLive(TERMINAL)) session.gap(TERMINAL, `${what} is not recorded`)
  // No tape has such an effect: starting it throws the divergence, and keeps it.
  else session.start(TERMINAL, what, () => undefined)
  return outside(() => Reflect.apply(original, undefined, [...args]))
}

function hasFunctions(value: unknown, ...names: readonly string[]): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}
