/**
 * `Dir` of `opendir`: a real `fs.Dir`, but the folder is read when it is opened, so that its entries need no
 * outcomes. They are returned one by one, as Node returns entries that it has read ahead.
 */
import type { Json } from '../../base/index.ts'
import { FolderClass, realFiles, realTick } from '../../real/files.ts'
import type { AnyFunction } from '../patches.ts'
import { fsCall, resultOf } from './calls.ts'
import type { Describe } from './described.ts'
import { describeCall, isCapturedFile, namedFile, optionOf } from './described.ts'
import { direntFrom, direntJson, isDirent } from './shapes.ts'

export const describeOpendir: Describe = (files, args, callee) => {
  const file = namedFile(files, args[0])
  if (file === null || !isCapturedFile(files, file, false, callee)) return null
  const recursive = optionOf(args[1], 'recursive') === true
  const { given } = file
  const dirOf = (entries: readonly object[]): object => folderOf(given, args[1], entries)
  return describeCall(files, 'opendir', [file], args, {
    also: recursive ? 'recursive' : null,
    answer: (value) => fsCall({ name: 'opendir', path: file.portable }, entriesJson(value, given)),
    value: (answer) => dirOf(entriesFrom(resultOf(answer), given)),
    recorded: (value) => dirOf(Array.isArray(value) ? value : []),
  })
}

/** A `Dir` with these entries. */
export function folderOf(path: string, options: unknown, entries: readonly object[]): object {
  return new ReadFolder(path, options, entries)
}

/** Every entry of a folder. It fails as `opendir` does. */
export function readWholeFolder(...args: unknown[]): unknown[] {
  const dir = realFiles.opendirSync?.(...args)
  const entries: unknown[] = []
  try {
    for (let entry: unknown = dir.readSync(); entry !== null; entry = dir.readSync()) entries.push(entry)
  } finally {
    dir.closeSync()
  }
  return entries
}

export function readWholeFolderLater(...args: unknown[]): void {
  const callback = args.pop() as AnyFunction
  const entries: unknown[] = []
  realFiles.opendir?.(...args, (failure: Error | null, dir: AnyDir) => {
    if (failure !== null) {
      callback(failure)
      return
    }
    const next = (): void =>
      dir.read((error, entry) => {
        if (error === null && entry !== null) {
          entries.push(entry)
          next()
        } else dir.close(() => (error === null ? callback(null, entries) : callback(error)))
      })
    next()
  })
}

type AnyDir = {
  read(callback: (error: Error | null, entry: unknown) => void): void
  close(callback: () => void): void
}

function entriesJson(value: unknown, folder: string): Json {
  return Array.isArray(value) ? value.filter(isDirent).map((entry) => direntJson(entry, folder)) : []
}

function entriesFrom(json: Json, folder: string): object[] {
  return Array.isArray(json) ? json.map((each) => direntFrom(each, folder)) : []
}

/** Node's class needs a native handle, which nothing here uses. */
class ReadFolder extends FolderClass {
  readonly #entries: object[]
  #closed = false

  constructor(path: string, options: unknown, entries: readonly object[]) {
    super({}, path, typeof options === 'object' ? options : { encoding: options })
    this.#entries = [...entries]
  }

  readSync(): object | null {
    this.#mustBeOpen()
    return this.#entries.shift() ?? null
  }

  read(callback?: (error: Error | null, entry: object | null) => void): Promise<object | null> | undefined {
    if (callback === undefined)
      return this.#closed ? Promise.reject(closedError()) : Promise.resolve(this.#entries.shift() ?? null)
    this.#mustBeOpen()
    const entry = this.#entries.shift() ?? null
    realTick(callback, null, entry)
    return undefined
  }

  closeSync(): void {
    this.#mustBeOpen()
    this.#closed = true
  }

  close(callback?: (error: Error | null) => void): Promise<void> | undefined {
    const wasClosed = this.#closed
    this.#closed = true
    if (callback === undefined) return wasClosed ? Promise.reject(closedError()) : Promise.resolve()
    realTick(callback, wasClosed ? closedError() : null)
    return undefined
  }

  async *entries(): AsyncGenerator<object> {
    try {
      for (let entry = this.readSync(); entry !== null; entry = this.readSync()) yield entry
    } finally {
      this.#closed = true
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<object> {
    return this.entries()
  }

  [Symbol.dispose](): void {
    this.#closed = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
  }

  #mustBeOpen(): void {
    if (this.#closed) throw closedError()
  }
}

function closedError(): Error {
  return Object.assign(new Error('Directory handle was closed'), { code: 'ERR_DIR_CLOSED' })
}
