/**
 * What a tape knows of the files as they were before the run changed them: content that was read, attributes
 * that were requested, names in folders, and missing files. A file that the run had already changed is known
 * from its `file_state`.
 *
 * Changes by a subprocess are known only from what the program read afterwards. Reads after a subprocess that
 * started after the fork are not used: that subprocess may have written the file.
 */
import { isObject, type Json } from '../../base/index.ts'
import { type Kind, type RecordKind, readTapeEvents } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'

/** `bytes` null: the tape has no content. `unsure`: it may be a folder as well. */
export type KnownFile =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file'
      readonly bytes: (() => Uint8Array) | null
      readonly sizeBytes: number | null
      readonly mode: number
      readonly unsure?: true
    }
  | { readonly kind: 'folder'; readonly names: ReadonlySet<string> | null; readonly mode: number }
  | { readonly kind: 'symlink'; readonly target: string }

/** By portable name. */
export type KnownFiles = ReadonlyMap<string, KnownFile>

const ABSENT: KnownFile = { kind: 'absent' }
const PLAIN_MODE = 0o644
const FOLDER_MODE = 0o755

/** Calls that fail with ENOENT if their file is missing, and change nothing. */
const LOOKS: ReadonlySet<string> = new Set([
  ...['readFile', 'stat', 'lstat', 'access', 'readdir', 'opendir', 'readlink', 'realpath', 'open'],
])

/** `at`: the run leaves the tape after this record; null if that is not known. */
export function knownFiles(tape: string, at: number | null): KnownFiles {
  const payloads = tapePayloads(tape)
  const known = new Map<string, KnownFile>()
  /** Changed by the run: later content is not the earlier one. */
  const changed = new Set<string>()
  const isChanged = (path: string): boolean => {
    for (let at = path; ; at = parentOf(at)) {
      if (changed.has(at)) return true
      if (at === parentOf(at)) return false
    }
  }
  let isTrusted = true
  const learn = (path: string, file: KnownFile): void => {
    if (path === '' || !isTrusted || isChanged(path)) return
    const before = known.get(path)
    if (before === undefined || isBetter(file, before)) known.set(path, file)
  }
  const change = (path: string, was: KnownFile | null): void => {
    if (was !== null) learn(path, was)
    changed.add(path)
  }

  const callOf = (kind: Kind<'fs_call'>): void => {
    const { call, path, result, error } = kind
    if (error !== null) {
      if (LOOKS.has(call) && isObject(error) && error.code === 'ENOENT') learn(path, ABSENT)
      return
    }
    switch (call) {
      case 'exists':
        return void learn(path, result === true ? PRESENT : ABSENT)
      case 'access':
        return void learn(path, PRESENT)
      case 'stat':
      case 'lstat':
        return void learn(path, statted(result))
      case 'readdir':
      case 'opendir':
        if (isRecursive(kind)) return
        learn(path, { kind: 'folder', names: new Set(namesIn(result)), mode: FOLDER_MODE })
        for (const [name, type] of typesIn(result)) learn(below(path, name), type)
        for (const name of namesIn(result)) learn(below(path, name), PRESENT)
        return
      case 'mkdir': {
        const made = isObject(result) && typeof result.path === 'string' ? result.path : null
        if (isRecursive(kind) && made === null)
          return void learn(path, { kind: 'folder', names: null, mode: FOLDER_MODE })
        return void change(made ?? path, ABSENT)
      }
      case 'rename':
      case 'copyFile':
      case 'cp':
      case 'link':
      case 'symlink':
      case 'rmdir':
      case 'truncate':
        change(path, null)
        if (kind.key !== undefined) change(secondOf(kind.key, call, path), null)
        return
      default:
        return
    }
  }

  for (const event of readTapeEvents(tape)) {
    if (event.type !== 'record') continue
    const { kind, seq } = event.record
    if (at !== null && seq > at && startsProcess(kind)) isTrusted = false
    switch (kind.kind) {
      case 'file_state':
        if (kind.when === 'before') known.set(kind.path, stateOf(kind, payloads))
        break
      case 'file_read': {
        const { payload } = kind
        learn(kind.path, {
          kind: 'file',
          bytes: payload === undefined ? null : () => payloads(payload),
          sizeBytes: null,
          mode: PLAIN_MODE,
        })
        break
      }
      case 'file_write':
        learn(parentOf(kind.path), { kind: 'folder', names: null, mode: FOLDER_MODE })
        change(kind.path, known.has(kind.path) ? null : ABSENT)
        break
      case 'file_delete':
        change(kind.path, null)
        break
      case 'fs_call':
        callOf(kind)
        break
      default:
        break
    }
  }
  return known
}

function startsProcess(kind: RecordKind): boolean {
  if (kind.kind === 'process_spawn') return kind.key !== undefined
  return kind.kind === 'effect_start' && (kind.boundary === 'process' || kind.boundary === 'terminal')
}

const PRESENT: KnownFile = { kind: 'file', bytes: null, sizeBytes: null, mode: PLAIN_MODE, unsure: true }

/** Which of the two has more: a content, the names in a folder, the kind of file. */
function isBetter(file: KnownFile, before: KnownFile): boolean {
  if (before.kind === 'file' && before.unsure === true) return file.kind !== 'absent'
  if (before.kind === 'file') return file.kind === 'file' && before.bytes === null && file.bytes !== null
  return before.kind === 'folder' && before.names === null && file.kind === 'folder'
}

function statted(result: Json): KnownFile {
  const mode = isObject(result) ? Number(result.mode) : Number.NaN
  if (Number.isNaN(mode)) return ABSENT
  const sizeBytes = isObject(result) ? Number(result.size) : 0
  switch (mode & 0o170000) {
    case 0o040000:
      return { kind: 'folder', names: null, mode: mode & 0o777 }
    case 0o100000:
      return { kind: 'file', bytes: null, sizeBytes, mode: mode & 0o777 }
    default:
      return PRESENT
  }
}

function stateOf(kind: Kind<'file_state'>, payloads: ReturnType<typeof tapePayloads>): KnownFile {
  const { payload } = kind
  switch (kind.state) {
    case 'absent':
      return ABSENT
    case 'folder':
      return { kind: 'folder', names: null, mode: (kind.mode ?? FOLDER_MODE) & 0o777 }
    case 'symlink':
      return { kind: 'symlink', target: kind.target ?? '' }
    case 'file':
      return {
        kind: 'file',
        bytes: payload === undefined ? null : () => payloads(payload),
        sizeBytes: null,
        mode: (kind.mode ?? PLAIN_MODE) & 0o777,
      }
  }
}

function isRecursive({ key }: Kind<'fs_call'>): boolean {
  return key?.includes('"recursive"') === true
}

function namesIn(result: Json): string[] {
  if (!Array.isArray(result)) return []
  return result
    .map((each) => (Array.isArray(each) ? each[0] : each))
    .filter((name) => typeof name === 'string')
}

/** For a listing with types: files and folders. */
function typesIn(result: Json): [name: string, known: KnownFile][] {
  if (!Array.isArray(result)) return []
  return result.flatMap((each): [string, KnownFile][] => {
    if (!Array.isArray(each) || typeof each[0] !== 'string') return []
    if (each[1] === 1) return [[each[0], { kind: 'file', bytes: null, sizeBytes: null, mode: PLAIN_MODE }]]
    return each[1] === 2 ? [[each[0], { kind: 'folder', names: null, mode: FOLDER_MODE }]] : []
  })
}

/** `rename a b`: b. Options may follow it. */
function secondOf(key: string, call: string, path: string): string {
  return key.slice(call.length + path.length + 2).replace(/ (?:\d+|\[.*\]|\{.*\})$/, '')
}

function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}

/** The folder of a portable name: `.` is the root. */
export function parentOf(path: string): string {
  if (path === '.' || path === '/') return path
  const slash = path.lastIndexOf('/')
  if (slash > 0) return path.slice(0, slash)
  if (slash === 0) return '/'
  return path.startsWith('$') ? path : '.'
}
