/**
 * Where the file calls of a recording are performed: on the disk, or on a layer over it that leaves the disk
 * unchanged; and what receives their changes. A session without one uses the disk and reports no changes.
 */
import { resolve } from 'node:path'
import { fs } from '../../real/fs.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import type { ChangedFiles, FileView } from './changed-files.ts'
import type { Layer } from './layer/layer.ts'
import type { LayerFs } from './layer/layer-fs.ts'
import { createQuickReads, type ReadCall } from './quick-reads.ts'
import { changes, whatChanges } from './what-changes.ts'
import { isInput } from './whose-file.ts'

export type FileAccess = {
  /** Null: the disk. */
  readonly overlay: { readonly layer: Layer; readonly fs: LayerFs } | null
  readonly changed: ChangedFiles
  readonly cwd: () => string
  /** Descriptors of the process's own input that were opened by name, over a layer. */
  readonly inputs: Set<number>
  /** For a run that left its tape. */
  readonly left?: LeftTape
}

/**
 * The files of a run that left its tape: the layer contains the files of the tape, and the disk is not
 * written.
 */
export type LeftTape = {
  /** The descriptor of the layer for a descriptor from the tape. */
  descriptor(fd: number): number
  /** Performs a call on the layer. */
  performed<T>(call: PerformedCall, perform: () => T): T
  /** The error for a call that only the disk can answer; null if it may. */
  refused(call: PerformedCall): Error | null
}

/** The part of a call that this file needs. */
export type PerformedCall = ReadCall & { readonly names: { readonly given: readonly string[] } }

const fileAccess = sessionField<FileAccess | null>(() => null)
const quickReads = createQuickReads()

/** Set it before the session is used. */
export function useFileAccess(session: Session, world: FileAccess): void {
  fileAccess.set(session, world)
}

export function performAtOnce(
  session: Session,
  call: PerformedCall,
  perform: (args: readonly unknown[]) => unknown,
): unknown {
  const world = fileAccess.get(session)
  if (world === null) return perform(call.args)
  announce(world, call)
  const input = world.overlay !== null && isOfInput(call, world)
  const layered = world.overlay === null || input ? null : layeredCall(world.overlay.fs, call.name)
  const args = ownArguments(world, call)
  if (layered === null && !input) refuse(world, call)
  const { left } = world
  const onLayer = (): unknown => (layered === null ? perform(args) : layered(...args))
  const value = left === undefined || input ? onLayer() : left.performed(call, onLayer)
  if (input) noteInput(call, world, value)
  // Its name is known only now.
  if (call.name === 'mkdtemp') world.changed.touchMade(resolve(world.cwd(), String(value)))
  return value
}

export type Done = (error: Error | null, value?: unknown) => void

export function performLater(
  session: Session,
  call: PerformedCall,
  begin: (args: readonly unknown[], done: Done) => void,
  done: Done,
): void {
  const world = fileAccess.get(session)
  if ((world?.overlay ?? null) === null && quickReads.takes(call, done)) return
  if (world === null) return void begin(call.args, done)
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
  if (!input) refuse(world, call)
  begin(ownArguments(world, call), (error, value) => {
    if (input && error === null) noteInput(call, world, value)
    if (error === null && call.name === 'mkdtemp')
      world.changed.touchMade(resolve(world.cwd(), String(value)))
    done(error, value)
  })
}

/** Reports what a call is about to change, for a call that a tape answers. */
export function announceChange(session: Session, call: PerformedCall): void {
  const world = fileAccess.get(session)
  if (world !== null) announce(world, call)
}

/** With the layer's descriptor in place of the one from the tape. */
function ownArguments({ left }: FileAccess, { args }: PerformedCall): readonly unknown[] {
  const [first, ...rest] = args
  return left === undefined || typeof first !== 'number' ? args : [left.descriptor(first), ...rest]
}

function refuse({ left }: FileAccess, call: PerformedCall): void {
  const error = left?.refused(call) ?? null
  if (error !== null) throw error
}

/** The whole current content of a file; null for what is no plain file, or may not be read. */
export function contentNow(session: Session, absolute: string): Uint8Array | null {
  const files = fileAccess.get(session)?.overlay ?? null
  return files === null ? readPlain(diskFiles, absolute) : readPlain(layerFiles(files.fs), absolute)
}

/** The content that a file has now, from `start` to `end`, in pieces. */
export function piecesNow(
  session: Session,
  absolute: string,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): Iterable<Uint8Array> {
  return readPieces(fileAccess.get(session)?.overlay?.fs ?? fs, absolute, start, end)
}

/** Larger content is not held in memory as a whole. */
export const LARGE_BYTES = 8 * 1024 * 1024

const PIECE_BYTES = 1024 * 1024

type OpenedFiles = {
  openSync(path: string, flags: 'r'): number
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number
  closeSync(fd: number): void
}

function readPieces(
  files: OpenedFiles,
  path: string,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): Iterable<Uint8Array> {
  return piecesFrom(files, files.openSync(path, 'r'), start, end)
}

/** Closes the descriptor at its end. */
function* piecesFrom(
  files: OpenedFiles,
  descriptor: number,
  start: number,
  end: number,
): Generator<Uint8Array> {
  try {
    for (let at = start; at < end; ) {
      // A new buffer each time: the scrubber may keep the end of a piece.
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at))
      const read = files.readSync(descriptor, piece, 0, piece.byteLength, at)
      if (read === 0) return
      at += read
      yield piece.subarray(0, read)
    }
  } finally {
    files.closeSync(descriptor)
  }
}

/** The files as the program finds them, with folders in Node's order. */
export function filesSeenBy(session: Session): FileView {
  const overlay = fileAccess.get(session)?.overlay ?? null
  return overlay === null ? { ...diskFiles, names: namesInOrder } : layerFiles(overlay.fs)
}

/** Its current length; null for what is no plain file. */
export function sizeNow(session: Session, absolute: string): number | null {
  const files = fileAccess.get(session)?.overlay ?? null
  const view = files === null ? diskFiles : layerFiles(files.fs)
  const real = view.realpath(absolute)
  const stat = real === null ? null : view.lstat(real)
  return stat === null || (stat.mode & 0o170000) !== 0o100000 ? null : stat.size
}

function readPlain(files: FileView, path: string): Uint8Array | null {
  const real = files.realpath(path)
  const stat = real === null ? null : files.lstat(real)
  return real === null || stat === null || (stat.mode & 0o170000) !== 0o100000 ? null : files.read(real)
}

/** The process's own input does not belong to the layer, under any descriptor. */
function isOfInput({ args, names }: PerformedCall, { inputs }: FileAccess): boolean {
  return typeof args[0] === 'number' ? args[0] === 0 || inputs.has(args[0]) : isInput(names.given[0] ?? '')
}

function noteInput(call: PerformedCall, { inputs }: FileAccess, value: unknown): void {
  if (call.name === 'open') inputs.add(Number(value))
  if (call.name === 'close') inputs.delete(Number(call.args[0]))
}

function announce({ changed, cwd }: FileAccess, call: PerformedCall): void {
  // Checked first: most calls change nothing, and the names of a call are computed only on demand.
  if (!changes(call.name)) return
  const { name, args, names } = call
  for (const { path, made = false, ...how } of whatChanges(name, names.given, args)) {
    const absolute = resolve(cwd(), path)
    if (made) changed.touchNew(absolute)
    else changed.touch(absolute, how)
  }
}

type AnyFunction = (...args: readonly unknown[]) => unknown

/**
 * The layer's function for a call; null for a call that only the disk can answer (`statfs`, `glob`,
 * watching).
 */
function layeredCall(layer: LayerFs, name: string): AnyFunction | null {
  switch (name) {
    case 'opendir':
      return (path, options) =>
        layer.readdirSync(path as string, {
          ...(typeof options === 'object' ? options : {}),
          withFileTypes: true,
        })
    case 'openAsBlob':
      return (path) => layer.readFileSync(path as string)
    default: {
      const found: unknown = Reflect.get(layer, `${name}Sync`)
      return typeof found === 'function' ? (found as AnyFunction) : null
    }
  }
}

export const diskFiles: FileView = fileView({
  lstat: (path) => fs.lstatSync(path),
  readlink: (path) => fs.readlinkSync(path),
  realpath: (path) => fs.realpathSync.native(path),
  read: (path) => fs.readFileSync(path),
  opened: fs,
  names: (path) => fs.readdirSync(path),
})

/** As `opendir` returns them, which does not sort. */
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

export function layerFiles(layer: LayerFs): FileView {
  return fileView({
    lstat: (path) => layer.facts(path, false),
    readlink: (path) => String(layer.readlinkSync(path)),
    realpath: (path) => String(layer.realpathSync(path)),
    read: (path) => layer.readFileSync(path) as Buffer,
    opened: layer,
    names: (path) => layer.readdirSync(path).map(String),
  })
}

type Throwing = {
  lstat(path: string): { readonly mode: number; readonly size: number }
  readlink(path: string): string
  realpath(path: string): string
  read(path: string): Uint8Array
  readonly opened: OpenedFiles
  names(path: string): readonly string[]
}

/** What cannot be read counts as missing: the call itself reports the error to the program. */
function fileView(files: Throwing): FileView {
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
    pieces: (path, sizeBytes) =>
      sizeBytes > LARGE_BYTES ? or(null, () => readPieces(files.opened, path)) : null,
    names: (path) => or([], () => files.names(path)),
  }
}
