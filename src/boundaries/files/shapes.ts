/**
 * Results of file calls that are Node's own objects, as JSON and back: `Stats` and `BigIntStats`, `StatFs`,
 * `Dirent`, names as text or bytes. The restored objects have the class, the own properties and the order of
 * the original.
 */
import type { Json } from '../../base/index.ts'
import { Dirent, statPrototype, statsHaveDates } from '../../real/files.ts'

type Fields = { readonly [key: string]: Json }

const DATES = [
  ['atime', 'atimeMs'],
  ['mtime', 'mtimeMs'],
  ['ctime', 'ctimeMs'],
  ['birthtime', 'birthtimeMs'],
] as const

export function statsJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null) return null
  const numbers: { [key: string]: Json } = {}
  for (const [key, each] of Object.entries(value)) {
    if (typeof each === 'number') numbers[key] = each
    else if (typeof each === 'bigint') numbers[key] = String(each)
  }
  return numbers
}

/** Undefined if nothing existed: `throwIfNoEntry: false`. */
export function statsFrom(json: Json): object | undefined {
  if (!isFields(json)) return undefined
  const isBig = typeof json.mode === 'string'
  const stats: { [key: string]: unknown } = Object.create(statPrototype(isBig ? 'bigint' : 'stats'))
  fill(stats, json)
  if (statsHaveDates()) for (const [date, ms] of DATES) stats[date] = new Date(Math.round(Number(json[ms])))
  return stats
}

export function statfsFrom(json: Json): object | undefined {
  if (!isFields(json)) return undefined
  const facts: { [key: string]: unknown } = Object.create(statPrototype('statfs'))
  fill(facts, json)
  return facts
}

function fill(target: { [key: string]: unknown }, json: Fields): void {
  for (const [key, value] of Object.entries(json))
    target[key] = typeof value === 'string' ? BigInt(value) : value
}

/** Text, or bytes if the program requested them. */
export function nameJson(name: unknown): Json {
  return typeof name === 'string'
    ? name
    : name instanceof Uint8Array
      ? { base64: Buffer.from(name).toString('base64') }
      : null
}

export function nameFrom(json: Json): string | Buffer {
  if (isFields(json) && typeof json.base64 === 'string') return Buffer.from(json.base64, 'base64')
  return typeof json === 'string' ? json : ''
}

export function namesFrom(json: Json): (string | Buffer)[] {
  return Array.isArray(json) ? json.map(nameFrom) : []
}

/** With the numbers of the C library. */
const DIRENT = { unknown: 0, file: 1, dir: 2, link: 3, fifo: 4, socket: 5, char: 6, block: 7 } as const

type AnyDirent = {
  readonly name: unknown
  readonly parentPath?: unknown
  readonly path?: unknown
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
  isCharacterDevice(): boolean
  isBlockDevice(): boolean
}

export function isDirent(value: unknown): value is AnyDirent {
  return typeof value === 'object' && value !== null && 'isSymbolicLink' in value && 'name' in value
}

/**
 * `[name, type]`, and its path below the requested folder, if it is not directly in it. `folder` is that
 * folder as the program named it.
 */
export function direntJson(entry: AnyDirent, folder: string): Json {
  const parent = entry.parentPath ?? entry.path
  const below =
    typeof parent === 'string' && parent !== folder && parent.startsWith(folder)
      ? parent.slice(folder.length)
      : null
  return below === null ? [nameJson(entry.name), typeOf(entry)] : [nameJson(entry.name), typeOf(entry), below]
}

export function direntFrom(json: Json, folder: string): object {
  const [name = '', type = 0, below = ''] = Array.isArray(json) ? json : []
  return Reflect.construct(Dirent, [
    nameFrom(name),
    type,
    `${folder}${typeof below === 'string' ? below : ''}`,
  ])
}

function typeOf(entry: AnyDirent): number {
  if (entry.isFile()) return DIRENT.file
  if (entry.isDirectory()) return DIRENT.dir
  if (entry.isSymbolicLink()) return DIRENT.link
  if (entry.isFIFO()) return DIRENT.fifo
  if (entry.isSocket()) return DIRENT.socket
  if (entry.isCharacterDevice()) return DIRENT.char
  if (entry.isBlockDevice()) return DIRENT.block
  return DIRENT.unknown
}

function isFields(json: Json): json is Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
