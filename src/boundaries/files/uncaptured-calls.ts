/**
 * Asynchronous calls about files that are not on the tape: those below `node_modules`, and those that the
 * user ignores. They are really made in both modes. Their end depends on the disk, so each completion has its
 * position in the order, like other work off the main thread.
 */
import { label } from '../../base/index.ts'
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession, outside, outsideWithContext } from '../context.ts'
import { type Done, heldPromise, startHeld } from '../held.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { namedFile } from './described.ts'
import { filesOf } from './files-of-session.ts'
import { isInput, isInstalled, isLoaderCall, isOutput } from './whose-file.ts'

const FILESYSTEM = { boundary: label('filesystem') } as const

/** The session that orders the completion; null if the call is not handled at all. */
export function orderedSession(
  args: readonly unknown[],
  callee: AnyFunction,
  isCopy = false,
): Session | null {
  const session = isOwnFileCall() ? null : activeSession('filesystem')
  if (session === null) return null
  const files = filesOf(session)
  if (!files.ordersUncaptured) return null
  const target = isCopy && files.copiesWhole ? args[1] : args[0]
  if (typeof target === 'number') return files.uncaptured.has(target) ? session : null
  const file = namedFile(files, target)
  if (file === null || isOutput(file.absolute) || isInput(file.absolute)) return null
  const isLeftOut = isInstalled(file.absolute) || files.isIgnored(file.portable)
  return isLeftOut && !isLoaderCall(callee, file.absolute) ? session : null
}

/** Calls the original, whose callback is at `at`; the program's own is called in its turn. */
export function callInOrder(
  session: Session,
  name: string,
  args: readonly unknown[],
  at: number,
  call: (args: readonly unknown[]) => unknown,
): unknown {
  const callback = args[at] as AnyFunction
  let done: Done | null = null
  const held = function (this: unknown, ...results: unknown[]): void {
    noteDescriptor(session, name, args, results)
    done?.(() => Reflect.apply(callback, this, results))
  }
  // Called first, so that a call that Node rejects is not an effect. It never calls back before it returns.
  const separate = name === 'cp' ? outsideWithContext : outside
  const returned = separate(() => call([...args.slice(0, at), held, ...args.slice(at + 1)]))
  done = startHeld(session, `fs.${name}`, FILESYSTEM)
  return returned
}

export function promiseInOrder(session: Session, name: string, begin: () => unknown): Promise<unknown> {
  // Node copies in many steps, which are calls of other functions.
  const separate = name === 'promises.cp' ? async () => outsideWithContext(begin) : async () => begin()
  return heldPromise(session, `fs.${name}`, separate, FILESYSTEM)
}

/** A descriptor that was opened synchronously. */
export function noteOpened(args: readonly unknown[], callee: AnyFunction, fd: unknown): void {
  const session = typeof fd === 'number' ? orderedSession(args, callee) : null
  if (session !== null) filesOf(session).uncaptured.add(Number(fd))
}

export function noteClosed([fd]: readonly unknown[]): void {
  const session = isOwnFileCall() ? null : activeSession('filesystem')
  if (session !== null) filesOf(session).uncaptured.delete(Number(fd))
}

function noteDescriptor(
  session: Session,
  name: string,
  args: readonly unknown[],
  results: readonly unknown[],
): void {
  const { uncaptured } = filesOf(session)
  if (name === 'open' && typeof results[1] === 'number') uncaptured.add(results[1])
  if (name === 'close') uncaptured.delete(Number(args[0]))
}

/** Methods of Node's own handle that a program awaits. */
const METHODS = [
  ...['appendFile', 'chmod', 'chown', 'close', 'datasync', 'read', 'readFile', 'readv', 'stat', 'sync'],
  ...['truncate', 'utimes', 'write', 'writeFile', 'writev'],
]

/** Node's own `FileHandle` of a file that is not on the tape. Its calls have positions too. */
export function handleInOrder(session: Session, handle: unknown): unknown {
  if (typeof handle !== 'object' || handle === null) return handle
  for (const name of METHODS) {
    const original: unknown = Reflect.get(handle, name)
    if (typeof original !== 'function') continue
    const value = (...args: unknown[]): Promise<unknown> =>
      promiseInOrder(session, `handle.${name}`, () => Reflect.apply(original, handle, args))
    Object.defineProperty(handle, name, { value, writable: true, configurable: true })
  }
  return handle
}
