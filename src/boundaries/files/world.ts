/**
 * Where the file calls of a recording are performed: on the disk, or on a layer over it that keeps the disk as it is; and who is told what they change.
 * A session that was given no world has the disk, and nobody is told.
 */
import { resolve } from 'node:path'
import { fs } from '../../real/fs.ts'
import type { Session } from '../session.ts'
import type { ChangedFiles, LookedAt } from './changed-files.ts'
import type { Layer } from './layer/layer.ts'
import type { LayerFs } from './layer/layer-fs.ts'
import { createQuickReads, type ReadCall } from './quick-reads.ts'
import { changes, whatChanges } from './what-changes.ts'
import { isInput } from './whose-file.ts'

export type FilesWorld = {
  /** Null: the disk. */
  readonly overlay: { readonly layer: Layer; readonly fs: LayerFs } | null
  readonly changed: ChangedFiles
  readonly cwd: () => string
  /** Descriptors of the process's own input that were opened by its name, over a layer. */
  readonly inputs: Set<number>
}

/** As much of a call as it takes. */
export type PerformedCall = ReadCall & { readonly names: { readonly given: readonly string[] } }

const worlds = new WeakMap<Session, FilesWorld>()
const quickReads = createQuickReads()

/** Before the session is used. */
export function useFilesWorld(session: Session, world: FilesWorld): void {
  worlds.set(session, world)
}

export function performAtOnce(session: Session, call: PerformedCall, perform: (args: readonly unknown[]) => unknown): unknown {
  const world = worlds.get(session)
  if (world === undefined) return perform(call.args)
  announce(world, call)
  const input = world.overlay !== null && isOfInput(call, world)
  const layered = world.overlay === null || input ? null : layeredCall(world.overlay.fs, call.name)
  const value = layered === null ? perform(call.args) : layered(...call.args)
  if (input) noteInput(call, world, value)
  // Only now is its name known.
  if (call.name === 'mkdtemp') world.changed.touchMade(resolve(world.cwd(), String(value)))
  return value
}

export type Done = (error: Error | null, value?: unknown) => void

export function performLater(session: Session, call: PerformedCall, begin: (args: readonly unknown[], done: Done) => void, done: Done): void {
  const world = worlds.get(session)
  if ((world?.overlay ?? null) === null && quickReads.takes(call, done)) return
  if (world === undefined) return void begin(call.args, done)
  const input = world.overlay !== null && isOfInput(call, world)
  if (world.overlay !== null && !input && layeredCall(world.overlay.fs, call.name) !== null) {
    let value: unknown
    try {
      value = performAtOnce(session, call, () => undefined)
    } catch (error) {
      return void done(error instanceof Error ? error : new Error(String(error)))
    }
    return void done(null, value)
  }
  announce(world, call)
  begin(call.args, (error, value) => {
    if (input && error === null) noteInput(call, world, value)
    if (error === null && call.name === 'mkdtemp') world.changed.touchMade(resolve(world.cwd(), String(value)))
    done(error, value)
  })
}

/** The whole content that a file has now; null for what is no plain file, or not to be read. */
export function contentNow(session: Session, absolute: string): Uint8Array | null {
  const files = worlds.get(session)?.overlay ?? null
  return files === null ? readPlain(diskFiles, absolute) : readPlain(layerFiles(files.fs), absolute)
}

/** The files as the program finds them, folders in the order in which Node goes through them. */
export function filesSeenBy(session: Session): LookedAt {
  const overlay = worlds.get(session)?.overlay ?? null
  return overlay === null ? { ...diskFiles, names: namesInOrder } : layerFiles(overlay.fs)
}

/** How long it is now; null for what is no plain file. */
export function sizeNow(session: Session, absolute: string): number | null {
  const files = worlds.get(session)?.overlay ?? null
  const looked = files === null ? diskFiles : layerFiles(files.fs)
  const real = looked.realpath(absolute)
  const stat = real === null ? null : looked.lstat(real)
  return stat === null || (stat.mode & 0o170000) !== 0o100000 ? null : stat.size
}

function readPlain(files: LookedAt, path: string): Uint8Array | null {
  const real = files.realpath(path)
  const stat = real === null ? null : files.lstat(real)
  return real === null || stat === null || (stat.mode & 0o170000) !== 0o100000 ? null : files.read(real)
}

/** The process's own input is no part of the layer, under whatever descriptor. */
function isOfInput({ args, names }: PerformedCall, { inputs }: FilesWorld): boolean {
  return typeof args[0] === 'number' ? args[0] === 0 || inputs.has(args[0]) : isInput(names.given[0] ?? '')
}

function noteInput(call: PerformedCall, { inputs }: FilesWorld, value: unknown): void {
  if (call.name === 'open') inputs.add(Number(value))
  if (call.name === 'close') inputs.delete(Number(call.args[0]))
}

function announce({ changed, cwd }: FilesWorld, call: PerformedCall): void {
  // Asked first, because most calls change nothing and the names of a call are only made when they are asked for.
  if (!changes(call.name)) return
  const { name, args, names } = call
  for (const { path, made = false, ...how } of whatChanges(name, names.given, args)) {
    const absolute = resolve(cwd(), path)
    if (made) changed.touchNew(absolute)
    else changed.touch(absolute, how)
  }
}

type AnyFunction = (...args: readonly unknown[]) => unknown

/** What the layer has for a call; null for what only the disk can answer (`statfs`, `glob`, watching). */
function layeredCall(layer: LayerFs, name: string): AnyFunction | null {
  switch (name) {
    case 'opendir':
      return (path, options) => layer.readdirSync(path as string, { ...(typeof options === 'object' ? options : {}), withFileTypes: true })
    case 'openAsBlob':
      return (path) => layer.readFileSync(path as string)
    default: {
      const found: unknown = Reflect.get(layer, `${name}Sync`)
      return typeof found === 'function' ? (found as AnyFunction) : null
    }
  }
}

export const diskFiles: LookedAt = lookedAt({
  lstat: (path) => fs.lstatSync(path),
  readlink: (path) => fs.readlinkSync(path),
  realpath: (path) => fs.realpathSync.native(path),
  read: (path) => fs.readFileSync(path),
  names: (path) => fs.readdirSync(path),
})

/** As `opendir` gives them, which does not sort. */
function namesInOrder(path: string): readonly string[] {
  const names: string[] = []
  const folder = fs.opendirSync(path)
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) names.push(entry.name)
  } finally {
    folder.closeSync()
  }
  return names
}

export function layerFiles(layer: LayerFs): LookedAt {
  return lookedAt({
    lstat: (path) => layer.facts(path, false),
    readlink: (path) => String(layer.readlinkSync(path)),
    realpath: (path) => String(layer.realpathSync(path)),
    read: (path) => layer.readFileSync(path) as Buffer,
    names: (path) => layer.readdirSync(path).map(String),
  })
}

type Throwing = {
  lstat(path: string): { readonly mode: number; readonly size: number }
  readlink(path: string): string
  realpath(path: string): string
  read(path: string): Uint8Array
  names(path: string): readonly string[]
}

/** What cannot be looked at counts as not there: the call itself says to the program what is wrong. */
function lookedAt(files: Throwing): LookedAt {
  const or = <T>(otherwise: T, look: () => T): T => {
    try {
      return look()
    } catch {
      return otherwise
    }
  }
  return {
    lstat: (path) => or(null, () => files.lstat(path)),
    readlink: (path) => or('', () => files.readlink(path)),
    realpath: (path) => or(null, () => files.realpath(path)),
    read: (path) => or(null, () => files.read(path)),
    names: (path) => or([], () => files.names(path)),
  }
}
