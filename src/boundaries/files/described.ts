/**
 * Describes a call: its files by their portable names, its key, and whether it is the program's. Null means:
 * call the original unchanged. That holds for values that cannot name a file, the process's own output,
 * loaders, `node_modules`, and files that the user ignores.
 *
 * Decision 0100.
 */
import { resolve } from 'node:path'
import type { AnyFunction } from '../patches.ts'
import type { Answer } from '../session.ts'
import type { Names } from './call-errors.ts'
import { type Call, type CallParts, fsCall, resultOf } from './calls.ts'
import type { SessionFiles } from './files-of-session.ts'
import { type NamedFile, pathText } from './portable-paths.ts'
import { changes, onlyAppends, whatChanges } from './what-changes.ts'
import { isInstalled, isLoaderCall, isOutput } from './whose-file.ts'

/** Describes a call from its arguments, without a callback; null if it is left to the original. */
export type Describe = (files: SessionFiles, args: readonly unknown[], callee: AnyFunction) => Call | null

/** The file that a path argument means; null for a value that is no path. */
export function namedFile(files: SessionFiles, value: unknown): NamedFile | null {
  const given = pathText(value)
  if (given === null) return null
  const cwd = files.cwd()
  const isPlain = !UNTIDY.test(given)
  // By far the most frequent: a normalized name, relative to the root.
  if (isPlain && given[0] !== '/' && files.paths.isPlainRoot(cwd))
    return { given, absolute: `${cwd}/${given}`, portable: given }
  const absolute = isPlain && given[0] === '/' ? given : resolve(cwd, given)
  return { given, absolute, portable: files.paths.portable(absolute) }
}

/** `.`, `..`, an empty part, or a trailing slash: must be resolved. */
const UNTIDY = /(?:^|\/)\.{1,2}(?:\/|$)|\/(?:\/|$)|\\/

/**
 * Whether a call about this file is the program's, and captured. A file that is written is, also below
 * `node_modules`.
 */
export function isCapturedFile(
  files: SessionFiles,
  file: NamedFile,
  writes: boolean,
  callee: AnyFunction,
): boolean {
  if (isOutput(file.absolute) || files.isIgnored(file.portable)) return false
  if (isInstalled(file.absolute) && !files.written.has(file.absolute)) {
    if (!writes) return false
    if (isLoaderCall(callee, file.absolute)) return false
    files.written.add(file.absolute)
    return true
  }
  return !isLoaderCall(callee, file.absolute)
}

export function namesOf(files: SessionFiles, ...named: readonly NamedFile[]): Names {
  const [first] = named
  return {
    given: named.map(({ given }) => given),
    portable: (path) => files.paths.portable(resolve(files.cwd(), path)),
    local: (portable) => files.paths.local(portable, first?.given ?? ''),
  }
}

/** A call about one file (or two), answered by `fs_call` with nothing but success, unless `parts` differs. */
export function describeCall(
  files: SessionFiles,
  name: string,
  named: readonly NamedFile[],
  args: readonly unknown[],
  parts: CallParts = {},
): Call {
  return new DescribedCall(files, name, named, args, parts)
}

/** A class, because one is created for every call: parts that only a failure needs are created then. */
class DescribedCall implements Call {
  readonly name: string
  readonly path: string
  readonly key: string
  readonly args: readonly unknown[]
  readonly recorded: CallParts['recorded']
  readonly sent: CallParts['sent']
  readonly passedBytes: CallParts['passedBytes']
  readonly signal: CallParts['signal']
  readonly output: CallParts['output']
  readonly #files: SessionFiles
  readonly #named: readonly NamedFile[]
  readonly #parts: CallParts

  constructor(
    files: SessionFiles,
    name: string,
    named: readonly NamedFile[],
    args: readonly unknown[],
    parts: CallParts,
  ) {
    const { also } = parts
    const path = named[0]?.portable ?? ''
    const second = named[1] === undefined ? '' : ` ${named[1].portable}`
    this.name = name
    this.path = path
    this.key = `${name} ${path}${second}${also === undefined || also === null ? '' : ` ${JSON.stringify(also)}`}`
    this.args = args
    this.recorded = parts.recorded
    this.sent = parts.sent
    this.passedBytes = parts.passedBytes
    this.signal = parts.signal
    this.output = parts.output
    this.#files = files
    this.#named = named
    this.#parts = parts
  }

  get names(): Names {
    return namesOf(this.#files, ...(this.#parts.given ?? this.#named))
  }

  answer(value: unknown): Answer {
    this.#forgetAppended()
    return this.#parts.answer === undefined ? fsCall(this, null) : this.#parts.answer(value)
  }

  /** Files that the call changes have other content than the records of appends have. */
  #forgetAppended(): void {
    const { appended } = this.#files
    if (appended.isEmpty || this.name === 'appendFile' || !changes(this.name)) return
    if (this.name === 'open' && onlyAppends(this.args[1])) return
    if (whatChanges(this.name, this.names.given, this.args).length === 0) return
    for (const { absolute } of this.#named) appended.forget(absolute)
  }

  value(answer: Answer): unknown {
    return this.#parts.value === undefined ? (resultOf(answer) ?? undefined) : this.#parts.value(answer)
  }
}

/** An option of a call, from its options object. */
export function optionOf(options: unknown, name: string): unknown {
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined
}

/** `encoding`, passed alone or among the options. */
export function encodingOf(options: unknown): string | null {
  const encoding = typeof options === 'string' ? options : optionOf(options, 'encoding')
  return typeof encoding === 'string' && encoding !== 'buffer' ? encoding : null
}
