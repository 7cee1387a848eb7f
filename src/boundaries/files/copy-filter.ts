/**
 * The `filter` of `cp` is the program's own code, and what it rejects is part of the program's request. In
 * both modes it is called first, for the entries of the source as the tape has them, in the order in which
 * Node calls it. Then the copy is made without the rejected entries.
 */
import { join, relative } from 'node:path'
import type { Json } from '../../base/index.ts'
import { isOwnFileCall } from '../../real/fs.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { callAtOnce, fsCall, resultOf } from './calls.ts'
import type { FileView } from './changed-files.ts'
import { describeCall, isCapturedFile, namedFile, optionOf } from './described.ts'
import { filesSeenBy } from './file-access.ts'
import { filesOf } from './files-of-session.ts'
import { pathText } from './portable-paths.ts'

const leftOutBy = new WeakMap<object, readonly string[]>()

/** What the filter of this call rejected, by its path in the source. */
export function leftOutOf(options: unknown): readonly string[] {
  const filter = optionOf(options, 'filter')
  return typeof filter === 'function' ? (leftOutBy.get(filter) ?? []) : []
}

/** Whether the filter is called while the copy is made. */
export function isProgramsFilter(options: unknown): boolean {
  const filter = optionOf(options, 'filter')
  return typeof filter === 'function' && !leftOutBy.has(filter)
}

/** For `cpSync`: the arguments with a filter that was called already. */
export function requestedFilter(args: readonly unknown[], callee: AnyFunction): readonly unknown[] {
  const asked = questions(args, callee)
  return asked === null ? args : [args[0], args[1], asked.options(asked.answers())]
}

/** Wraps `cp` with a callback. */
export function askingFirst(copy: AnyFunction): AnyFunction {
  const standIn = function (this: unknown, ...args: unknown[]): unknown {
    const callback: unknown = args[3]
    const asked = typeof callback === 'function' ? questions(args, standIn) : null
    if (asked === null) return copy(...args)
    asked.answersLater().then(
      (leftOut) => copy(args[0], args[1], asked.options(leftOut), callback),
      (error: unknown) => (callback as AnyFunction)(error),
    )
    return undefined
  }
  return standIn
}

/** Wraps `promises.cp`. */
export function askingFirstPromised(copy: AnyFunction): AnyFunction {
  const standIn = function (this: unknown, ...args: unknown[]): unknown {
    const asked = questions(args, standIn)
    return asked === null
      ? copy(...args)
      : asked.answersLater().then((leftOut) => copy(args[0], args[1], asked.options(leftOut)))
  }
  return standIn
}

type Entry = { readonly path: string; readonly isFolder: boolean }
type Questions = {
  answers(): readonly string[]
  answersLater(): Promise<readonly string[]>
  options(leftOut: readonly string[]): object
}

/**
 * Null if the call is not the program's, has no filter, or is replayed from an older tape without filters.
 */
function questions(args: readonly unknown[], callee: AnyFunction): Questions | null {
  const session = isOwnFileCall() ? null : activeSession('filesystem')
  const filter = optionOf(args[2], 'filter')
  if (session === null || typeof filter !== 'function') return null
  const [source, target] = [pathText(args[0]), pathText(args[1])]
  const entries =
    source === null || target === null || !filesOf(session).optionsCount
      ? null
      : entriesOf(session, args, callee)
  if (source === null || target === null || entries === null) return null
  const at = (folder: string, { path }: Entry): string => (path === '.' ? folder : join(folder, path))
  const ask = (entry: Entry): unknown => filter(at(source, entry), at(target, entry))
  const isBelow = (path: string, leftOut: readonly string[]): boolean =>
    leftOut.some((out) => out === '.' || path.startsWith(`${out}/`))
  return {
    answers() {
      const leftOut: string[] = []
      for (const entry of entries) if (!isBelow(entry.path, leftOut) && !ask(entry)) leftOut.push(entry.path)
      return leftOut
    },
    async answersLater() {
      const leftOut: string[] = []
      for (const entry of entries)
        if (!isBelow(entry.path, leftOut) && !(await ask(entry))) leftOut.push(entry.path)
      return leftOut
    },
    options(leftOut) {
      const wanted = (from: string): boolean => !leftOut.includes(relative(source, from) || '.')
      leftOutBy.set(wanted, leftOut)
      return { ...(args[2] as object), filter: wanted }
    },
  }
}

/** Everything in the source, each folder before its entries. */
function entriesOf(session: Session, args: readonly unknown[], callee: AnyFunction): readonly Entry[] | null {
  const files = filesOf(session)
  const file = namedFile(files, args[0])
  if (file === null || !isCapturedFile(files, file, false, callee)) return null
  const follow = optionOf(args[2], 'dereference') === true
  const call = describeCall(files, 'cp.source', [file], [args[0]], {
    also: follow ? 'dereference' : null,
    answer: (value) => fsCall({ name: 'cp.source', path: file.portable }, value as Json),
    value: (answer) => resultOf(answer),
    recorded: (value) => value,
  })
  const listed = callAtOnce(session, call, () => listing(filesSeenBy(session), file.absolute, follow), callee)
  return Array.isArray(listed) ? listed.flatMap(entryOf) : null
}

function listing(files: FileView, root: string, follow: boolean): Json {
  const found: Json[] = []
  const walk = (path: string): void => {
    const stat = files.lstat(follow ? (files.realpath(path) ?? path) : path)
    if (stat === null) return
    const isFolder = (stat.mode & 0o170000) === 0o040000
    found.push([relative(root, path) || '.', isFolder])
    if (isFolder) for (const name of files.names(path)) walk(join(path, name))
  }
  walk(root)
  return found
}

function entryOf(json: unknown): Entry[] {
  return Array.isArray(json) && typeof json[0] === 'string'
    ? [{ path: json[0], isFolder: json[1] === true }]
    : []
}
