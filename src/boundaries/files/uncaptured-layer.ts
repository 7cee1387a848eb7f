/**
 * Files that are not on the tape, in a replay: those that the user ignores, and all files of a tape without
 * files. Every change goes to a layer over the disk, so the program reads back what it wrote, and the disk
 * stays as it was. Reading goes to the disk until something is changed.
 *
 * A copy of a file that only the tape has succeeds, and makes nothing.
 *
 * Does not cover: `glob`, `statfs` and watching, which see the disk; devices other than `/dev/null` and its
 * like, and pipes, which cannot be written.
 *
 * Decision 0481.
 */
import { Blob } from 'node:buffer'
import { resolve } from 'node:path'
import { wallNs } from '../../real/clock.ts'
import { effectiveGroups, effectiveUser, realUmask } from '../../real/credentials.ts'
import { copiesBySteps } from '../../real/files.ts'
import { isOwnFileCall } from '../../real/fs.ts'
import { realCwd } from '../../real/process.ts'
import { isWalled } from '../../real/walled.ts'
import { activeSession, outside } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { isOutputDescriptor } from '../stdio/written-by-descriptor.ts'
import { isProgramsFilter } from './copy-filter.ts'
import { namedFile, optionOf } from './described.ts'
import { filesOf, type SessionFiles } from './files-of-session.ts'
import { folderOf } from './folder-stream.ts'
import { isMissing } from './layer/failure.ts'
import { createLayer, type Layer } from './layer/layer.ts'
import { createLayerFs, type LayerFs } from './layer/layer-fs.ts'
import { nodeShapes } from './node-shapes.ts'
import { flagBits } from './open-file.ts'
import { type NamedFile, pathText } from './portable-paths.ts'
import { changes } from './what-changes.ts'
import { hasKnownEncoding, isContent } from './whole-file.ts'
import { isInput, isInstalled, isOutput, isStepOfNode, loaderOf } from './whose-file.ts'

/** How a call is made in a replay: on the layer, or by Node with these arguments. */
export type Redirected = LayeredCall | { readonly type: 'node'; readonly args: readonly unknown[] }
export type LayeredCall = { readonly type: 'layer'; perform(): unknown }

export type UncapturedLayerOptions = {
  /** Whether the disk is used: in a fork that goes on there. */
  readonly isReal: () => boolean
  /** The session is that of the whole process, so it opened every descriptor of the program. */
  readonly ownsProcess: boolean
}

type Uncaptured = UncapturedLayerOptions & {
  opened: Opened | null
  isTouched: boolean
  /** Whether copies on older tapes are made by steps, which are redirected one by one. */
  readonly bySteps: Readonly<Record<Form, boolean>>
}
export type Form = 'sync' | 'later'
type Opened = { readonly layer: Layer; readonly fs: LayerFs }

const uncapturedOf = sessionField<Uncaptured | null>(() => null)

/** Far above those of the process, and of a layer whose descriptors are on the tape. */
const FIRST_DESCRIPTOR = 2_000_000
/** Node rejects wrong arguments as before; the system never has this descriptor. */
const NO_DESCRIPTOR = 2_147_483_647

/** For a replay. Set it before the session is used. */
export function useUncapturedLayer(session: Session, options: UncapturedLayerOptions): void {
  const bySteps = { sync: copiesBySteps('sync'), later: copiesBySteps('later') }
  uncapturedOf.set(session, { ...options, opened: null, isTouched: false, bySteps })
}

export function closeUncapturedLayer(session: Session): void {
  uncapturedOf.get(session)?.opened?.layer[Symbol.dispose]()
}

/** How a call that is not on the tape is made; null if the original gets it. `name` is without `Sync`. */
export function redirected(
  form: Form,
  name: string,
  args: readonly unknown[],
  callee: AnyFunction,
): Redirected | null {
  const session = isOwnFileCall() ? null : activeSession('filesystem')
  const uncaptured = session === null ? null : uncapturedOf.get(session)
  if (session === null || uncaptured === null || uncaptured.isReal()) return null
  const files = filesOf(session)
  if (name === 'cp' && !files.copiesWhole && uncaptured.bySteps[form]) return null
  const isElsewhere =
    typeof args[0] === 'number' ? isOfLayer(args[0]) : isChangedHere(uncaptured, files, name, args, callee)
  if (!isElsewhere)
    return typeof args[0] === 'number' ? withoutDescriptor(uncaptured, files, name, args) : null
  const layer = layerOf(uncaptured, files)
  const isLost = (error: unknown): boolean =>
    isMissing(error) && isFromTape(files, name, args[0]) && !layer.existsSync(args[0] as string)
  return {
    type: 'layer',
    perform() {
      try {
        return apart(name, args, () => perform(layer, name, args))
      } catch (error) {
        if (!isLost(error)) throw error
        return undefined
      }
    },
  }
}

/** A call of the session's own handle about a descriptor of the layer; null for any other. */
export function callOfLayer(
  { session }: SessionFiles,
  name: string,
  args: readonly unknown[],
): (() => unknown) | null {
  const opened = uncapturedOf.get(session)?.opened ?? null
  if (opened === null || !isOfLayer(Number(args[0]))) return null
  return () => outside(() => perform(opened.fs, name, args))
}

/** A file of the layer was moved to a name on the tape, where the tape has it. */
export function movedToTape(session: Session, source: unknown): void {
  const uncaptured = uncapturedOf.get(session)
  if (uncaptured === null || uncaptured.isReal()) return
  const files = filesOf(session)
  const file = namedFile(files, source)
  if (file === null || !files.isIgnored(file.portable)) return
  uncaptured.isTouched = true
  layerOf(uncaptured, files).rmSync(file.absolute, { recursive: true, force: true })
}

/**
 * Runs a copy that is not on the tape so that its steps are no calls of the program. A filter of the program
 * belongs to it.
 */
export function apart<T>(name: string, args: readonly unknown[], call: () => T): T {
  return name === 'cp' && isProgramsFilter(args[2]) ? call() : outside(call)
}

/** Whether the source of a copy or a move is on the tape: then the disk need not have it. */
function isFromTape(files: SessionFiles, name: string, source: unknown): boolean {
  const file = TWO_FILES.has(name) ? namedFile(files, source) : null
  return file !== null && !files.isIgnored(file.portable)
}

function isOfLayer(fd: number): boolean {
  return fd >= FIRST_DESCRIPTOR && fd !== NO_DESCRIPTOR
}

function isChangedHere(
  uncaptured: Uncaptured,
  files: SessionFiles,
  name: string,
  args: readonly unknown[],
  callee: AnyFunction,
): boolean {
  const named = pathsOf(name, args).map((value) => namedFile(files, value))
  const file = named.at(-1) ?? null
  // Node rejects it with its own error.
  if (file === null || named.includes(null) || isRejected(name, args)) return false
  if (isOutput(file.absolute) || isInput(file.absolute)) return false
  const writes = name === 'open' ? flagBits(args[1] ?? 'r') !== 0 : changes(name) && !ON_DISK_ONLY.has(name)
  const loader = loaderOf(callee, file.absolute)
  if (loader === 'package' || (loader === 'node' && !writes)) return false
  if (writes) {
    // What is not ignored here is on the tape, except for a call that only looks like that of a loader.
    if (!files.isIgnored(file.portable) && loader === null) return false
    if (isHarmlessDevice(file.absolute)) return false
    uncaptured.isTouched = true
    return true
  }
  if (ON_DISK_ONLY.has(name) || KERNEL_FILES.test(file.absolute)) return false
  // A real descriptor could change the file that it was opened to read. Node itself only reads it.
  if (name === 'open')
    return (files.isIgnored(file.portable) || isInstalled(file.absolute)) && !isStepOfNode(callee)
  return files.isIgnored(file.portable) && (uncaptured.isTouched || isMoved(files, file))
}

/** Calls that only the disk can answer. They change nothing. */
const ON_DISK_ONLY: ReadonlySet<string> = new Set(['statfs', 'glob'])
const TWO_FILES: ReadonlySet<string> = new Set(['rename', 'link', 'copyFile', 'cp'])
/** Their size is 0, whatever they contain. */
const KERNEL_FILES = /^\/(?:proc|sys|dev)(?:\/|$)/

function pathsOf(name: string, args: readonly unknown[]): readonly unknown[] {
  if (name === 'symlink') return [args[1]]
  return TWO_FILES.has(name) ? args.slice(0, 2) : args.slice(0, 1)
}

function isRejected(name: string, args: readonly unknown[]): boolean {
  if (name === 'writeFile' || name === 'appendFile') return !isContent(args[1]) || !hasKnownEncoding(args[2])
  return name === 'readFile' && !hasKnownEncoding(args[1])
}

/** What is written there is nowhere. */
function isHarmlessDevice(absolute: string): boolean {
  return /^\/dev\/(?:null|zero|full)$/.test(absolute)
}

/** Whether the program's name leads to another file than it does for Node. */
function isMoved(files: SessionFiles, file: NamedFile): boolean {
  return placeOf(files)(file.absolute) !== resolve(realCwd(), file.given)
}

/** Recorded folders are those of this machine. */
function placeOf({ paths }: SessionFiles): (absolute: string) => string {
  const here = realCwd()
  return (absolute) => {
    const portable = paths.portable(absolute)
    return portable === absolute ? absolute : paths.local(portable, here)
  }
}

/** Calls that change a file by its descriptor. */
const BY_DESCRIPTOR: ReadonlySet<string> = new Set([
  ...['write', 'writev', 'writeFile', 'appendFile', 'truncate', 'ftruncate', 'fchmod', 'fchown', 'futimes'],
])

function withoutDescriptor(
  { ownsProcess }: Uncaptured,
  files: SessionFiles,
  name: string,
  [fd, ...rest]: readonly unknown[],
): Redirected | null {
  if (!BY_DESCRIPTOR.has(name) || isOutputDescriptor(fd)) return null
  const isKnown = files.open.has(Number(fd)) || files.uncaptured.has(Number(fd))
  return isKnown || ownsProcess ? { type: 'node', args: [NO_DESCRIPTOR, ...rest] } : null
}

function layerOf(uncaptured: Uncaptured, files: SessionFiles): LayerFs {
  uncaptured.opened ??= openLayer(files)
  return uncaptured.opened.fs
}

function openLayer(files: SessionFiles): Opened {
  const who = { uid: effectiveUser(), groups: effectiveGroups() }
  // Behind the wall no temporary file can be written.
  const memory = isWalled ? { memoryBytes: Number.POSITIVE_INFINITY } : {}
  const layer = createLayer({ roots: ['/'], nowNs: wallNs, umask: realUmask, who, ...memory })
  const options = { cwd: files.cwd, shapes: nodeShapes, place: placeOf(files) }
  const opens = { firstDescriptor: FIRST_DESCRIPTOR, opensDevices: false }
  return { layer, fs: createLayerFs(layer, { ...options, ...opens }) }
}

function perform(layer: LayerFs, name: string, args: readonly unknown[]): unknown {
  const [first, second] = args
  switch (name) {
    case 'opendir': {
      const options = typeof second === 'object' && second !== null ? second : { encoding: second as null }
      const entries = layer.readdirSync(first as string, { ...options, withFileTypes: true })
      return folderOf(pathText(first) ?? '', second, entries as object[])
    }
    case 'openAsBlob': {
      const type = optionOf(second, 'type')
      return new Blob([layer.readFileSync(first as string)], typeof type === 'string' ? { type } : {})
    }
    case 'rmdir':
      if (optionOf(second, 'recursive') === true) return layer.rmSync(first as string, { recursive: true })
      break
  }
  const made: unknown = Reflect.get(layer, `${name}Sync`)
  // Only where Node has it: macOS.
  if (typeof made !== 'function') return undefined
  return Reflect.apply(made, layer, args)
}
