/**
 * Calls about files by their names with small arguments and results: attributes, entries of a folder, links,
 * rights, times, names. One row each, for all three forms.
 */
import { isUint8Array } from 'node:util/types'
import type { Json } from '../../base/index.ts'
import { copyOptions, folderOptions } from './call-options.ts'
import { type CallParts, fsCall, resultOf } from './calls.ts'
import { leftOutOf } from './copy-filter.ts'
import { type Describe, describeCall, isCapturedFile, namedFile, optionOf } from './described.ts'
import type { SessionFiles } from './files-of-session.ts'
import { isUrl, type NamedFile } from './portable-paths.ts'
import {
  direntFrom,
  direntJson,
  isDirent,
  nameFrom,
  nameJson,
  namesFrom,
  statfsFrom,
  statsFrom,
  statsJson,
} from './shapes.ts'

type Row = {
  /** How many of the arguments, from the first on, are files. */
  readonly files?: 1 | 2
  readonly writes?: boolean
  readonly parts?: (named: readonly NamedFile[], args: readonly unknown[], files: SessionFiles) => CallParts
}

export const plainArgument = (value: unknown): Json =>
  value instanceof Date
    ? value.getTime()
    : typeof value === 'number' || typeof value === 'string'
      ? value
      : typeof value === 'bigint'
        ? String(value)
        : null

/** The numbers of a call (mode, owner, times, length) are part of the request. */
const withNumbers: Row['parts'] = (_named, args) => {
  const given = args.slice(1).filter((each) => each !== undefined)
  return given.length === 0 ? {} : { also: given.map(plainArgument) }
}

const chosen = (args: readonly unknown[], ...names: readonly string[]): Json => {
  const options = args.find(
    (each) => typeof each === 'object' && each !== null && !isUrl(each) && !isUint8Array(each),
  )
  const on = names.filter((name) => Boolean(optionOf(options, name)))
  return on.length === 0 ? null : on
}

const stat = (name: string, from: (json: Json) => object | undefined): Row => ({
  parts: ([file], args) => ({
    also: chosen(args, 'bigint'),
    answer: (value) => fsCall({ name, path: file?.portable ?? '' }, statsJson(value)),
    value: (answer) => from(resultOf(answer)),
  }),
})

const aName = (name: string): Row => ({
  parts: ([file], _args, { paths }) => ({
    answer: (value) => fsCall({ name, path: file?.portable ?? '' }, portableName(value, paths.portable)),
    value: (answer) => localName(resultOf(answer), (portable) => paths.local(portable, file?.given ?? '')),
  }),
})

const deleting = (): Row => ({
  writes: true,
  parts: ([file], args) => ({
    also: chosen(args, 'recursive', 'force'),
    answer: () => ({ type: 'file_delete', path: file?.portable ?? '' }),
    value: () => undefined,
  }),
})

const rows: { readonly [name: string]: Row } = {
  access: { parts: withNumbers },
  exists: {
    parts: ([file]) => ({
      answer: (value) => fsCall({ name: 'exists', path: file?.portable ?? '' }, value === true),
      value: (answer) => resultOf(answer) === true,
    }),
  },
  stat: stat('stat', statsFrom),
  lstat: stat('lstat', statsFrom),
  statfs: stat('statfs', statfsFrom),
  readdir: {
    parts: ([file], args) => ({
      also: chosen(args, 'withFileTypes', 'recursive'),
      answer: (value) =>
        fsCall({ name: 'readdir', path: file?.portable ?? '' }, listing(value, file?.given ?? '')),
      value: (answer) => listed(resultOf(answer), file?.given ?? ''),
    }),
  },
  readlink: aName('readlink'),
  realpath: aName('realpath'),
  mkdir: {
    writes: true,
    parts: ([file], args, files) => ({
      also: folderOptions(files, chosen(args, 'recursive'), args[1]),
      answer: (value) =>
        fsCall({ name: 'mkdir', path: file?.portable ?? '' }, portableName(value, files.paths.portable)),
      value: (answer) =>
        resultOf(answer) === null
          ? undefined
          : localName(resultOf(answer), (portable) => files.paths.local(portable, file?.given ?? '')),
    }),
  },
  mkdtemp: {
    writes: true,
    parts: ([file]) => ({
      answer: (value) =>
        fsCall(
          { name: 'mkdtemp', path: file?.portable ?? '' },
          { added: nameJson(cutFront(value, file?.given ?? '')) },
        ),
      value: (answer) => madeName(resultOf(answer), file?.given ?? ''),
    }),
  },
  rm: deleting(),
  unlink: deleting(),
  rmdir: { writes: true, parts: (_named, args) => ({ also: chosen(args, 'recursive') }) },
  rename: { files: 2, writes: true },
  link: { files: 2, writes: true },
  copyFile: {
    files: 2,
    writes: true,
    parts: (_named, args) => (args[2] === undefined ? {} : { also: plainArgument(args[2]) }),
  },
  cp: {
    files: 2,
    writes: true,
    parts: (_named, args, files) => ({
      also: copyOptions(
        files,
        chosen(args, 'recursive', 'force', 'errorOnExist', 'dereference'),
        args[2],
        leftOutOf(args[2]),
      ),
    }),
  },
  chmod: { writes: true, parts: withNumbers },
  lchmod: { writes: true, parts: withNumbers },
  chown: { writes: true, parts: withNumbers },
  lchown: { writes: true, parts: withNumbers },
  utimes: { writes: true, parts: withNumbers },
  lutimes: { writes: true, parts: withNumbers },
  truncate: { writes: true, parts: withNumbers },
}

export const pathCallNames: readonly string[] = Object.keys(rows)

export function describePathCall(name: string): Describe {
  const row = rows[name] ?? {}
  return (files, args, callee) => {
    const named = args.slice(0, row.files ?? 1).map((value) => namedFile(files, value))
    const known = named.filter((file) => file !== null)
    const last = known.at(-1)
    if (last === undefined || known.length < named.length || args.length < named.length) return null
    if (!isCapturedFile(files, last, row.writes === true, callee)) return null
    return describeCall(files, name, known, args, row.parts?.(known, args, files) ?? {})
  }
}

/** The first argument is the target of the link, not a file: only the second is one. */
export const describeSymlink: Describe = (files, args, callee) => {
  const file = namedFile(files, args[1])
  const target = namedFile(files, args[0])
  if (file === null || target === null || !isCapturedFile(files, file, true, callee)) return null
  const also = target.given.startsWith('/') ? target.portable : target.given
  return describeCall(files, 'symlink', [file], args, { also, given: [target, file] })
}

function portableName(value: unknown, portable: (path: string) => string): Json {
  return typeof value === 'string' && value.startsWith('/') ? { path: portable(value) } : nameJson(value)
}

function localName(json: Json, local: (portable: string) => string): unknown {
  const path =
    typeof json === 'object' && json !== null && !Array.isArray(json) && 'path' in json
      ? json.path
      : undefined
  return typeof path === 'string' ? local(path) : nameFrom(json)
}

function listing(value: unknown, folder: string): Json {
  if (!Array.isArray(value)) return null
  return value.map((each: unknown) => (isDirent(each) ? direntJson(each, folder) : nameJson(each)))
}

function listed(json: Json, folder: string): unknown {
  if (!Array.isArray(json)) return []
  return json.some((each) => Array.isArray(each))
    ? json.map((each) => direntFrom(each, folder))
    : namesFrom(json)
}

function cutFront(value: unknown, front: string): unknown {
  if (typeof value === 'string') return value.startsWith(front) ? value.slice(front.length) : value
  return value instanceof Uint8Array ? Buffer.from(value).subarray(Buffer.byteLength(front)) : null
}

function madeName(json: Json, front: string): string | Buffer {
  const added =
    typeof json === 'object' && json !== null && !Array.isArray(json) && 'added' in json
      ? nameFrom(json.added)
      : ''
  return typeof added === 'string' ? front + added : Buffer.concat([Buffer.from(front), added])
}
