/**
 * The files of a run that leaves its tape: a layer over the files that the tape knows. While the tape serves,
 * each change of the program is made on the layer too; after that the layer serves. The disk is never
 * written, and read only with `--live files`.
 *
 * Decision 0380.
 */
import { dirname, resolve } from 'node:path'
import { useChildFolder } from '../../boundaries/child-folder.ts'
import { createChangedFiles, type FileView } from '../../boundaries/files/changed-files.ts'
import {
  announceChange,
  diskFiles,
  type LeftTape,
  layerFiles,
  type PerformedCall,
  useFileAccess,
} from '../../boundaries/files/file-access.ts'
import { filesOf } from '../../boundaries/files/files-of-session.ts'
import { diskLower } from '../../boundaries/files/layer/disk.ts'
import { createLayer } from '../../boundaries/files/layer/layer.ts'
import { createLayerFs } from '../../boundaries/files/layer/layer-fs.ts'
import { nodeShapes } from '../../boundaries/files/node-shapes.ts'
import { flagBits } from '../../boundaries/files/open-file.ts'
import { useReplayedChanges } from '../../boundaries/files/replayed-changes.ts'
import type { Session } from '../../boundaries/session.ts'
import { isRepriseError, RepriseError } from '../../errors/index.ts'
import { wallNs } from '../../real/clock.ts'
import { effectiveGroups, effectiveUser, realUmask } from '../../real/credentials.ts'
import { fileConstants } from '../../real/files.ts'
import { fs as realFs } from '../../real/fs.ts'
import { realCwd } from '../../real/process.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeHeader, TapeRecorder } from '../../tape/index.ts'
import { stateRecords } from './file-access.ts'
import { knownFiles } from './known-files.ts'
import { knownLower } from './known-lower.ts'
import { fillSandbox, linkPackages, sandboxFs, sandboxPath } from './sandbox.ts'
import { knownTree } from './tree-of-layer.ts'

export type LeftTapeFilesOptions = {
  readonly session: Session
  readonly tape: string
  /** The last record that the run repeats; null if that is not known. */
  readonly at: number | null
  readonly header: TapeHeader
  /** Whether files that the tape does not know are read from the disk. */
  readonly readsDisk: boolean
  /** Where files go once the run is live: the overlay, a sandbox folder, the disk of the user. */
  readonly into: FilesInto
  readonly recorder: TapeRecorder
  readonly scrubber: Scrubber
  /** Whether the tape still serves: then it has the states of files itself. */
  readonly isOnTape: () => boolean
  /** Called for a file that was refused. `open`: it was open when the run went live. */
  readonly refused: (portable: string, why: 'unknown' | 'open') => void
}

export type FilesInto =
  | { readonly type: 'overlay' }
  | { readonly type: 'sandbox'; readonly folder: string }
  | { readonly type: 'disk' }

export type LeftTapeFiles = {
  /** The run is live from now on. */
  goLive(): void
  /** Writes the current state of everything that was changed. */
  end(): void
}

/** After `useFiles`, before the session is used. */
export function useLeftTapeFiles(options: LeftTapeFilesOptions): LeftTapeFiles {
  const { session, header, recorder, scrubber } = options
  const { paths, cwd, open } = filesOf(session)
  const here = realCwd()
  const roots = header.roots ?? [here]
  /** Both the recorded folder and the current one map to the recorded one. */
  const place = (absolute: string): string => paths.local(paths.portable(absolute), '')
  const groups = effectiveGroups()
  const unknown = (portable: string): Error => {
    const message = `${portable} is not known: the tape has nothing of it, and files are not live`
    options.refused(portable, 'unknown')
    return new RepriseError('replay-diverged', message, {
      details: { path: portable },
      hint: 'read it from the disk with --live files',
    })
  }
  /** A descriptor of the layer has no counterpart in a sandbox. */
  const openAtLeaving = (portable: string): Error => {
    const message = `${portable} was open when the run went live: it cannot be used in a sandbox`
    options.refused(portable, 'open')
    return new RepriseError('replay-diverged', message, {
      details: { path: portable },
      hint: 'go live at a record where the file is closed, or leave out --sandbox',
    })
  }
  const lower = knownLower({
    known: knownFiles(options.tape, options.at),
    portable: paths.portable,
    disk: options.readsDisk
      ? { lower: diskLower, place: (absolute) => paths.local(paths.portable(absolute), here) }
      : null,
    folders: [...roots, header.home, header.temp].filter((folder) => folder !== undefined),
    owner: { uid: effectiveUser(), gid: groups[0] ?? 0 },
    unknown,
  })
  const who = { uid: effectiveUser(), groups }
  const layer = createLayer({ roots: ['/'], lower, nowNs: wallNs, umask: realUmask, who })
  const layerFs = createLayerFs(layer, { cwd, shapes: nodeShapes, place })
  let fs = layerFs
  const root = place(roots[0] ?? here)
  const { into } = options
  const write = stateRecords(recorder, scrubber)
  const view = (): FileView => (isDisk ? diskFiles : layerFiles(fs))
  const seen: FileView = {
    lstat: (path) => view().lstat(path),
    readlink: (path) => view().readlink(path),
    realpath: (path) => view().realpath(path),
    read: (path) => view().read(path),
    pieces: (path, sizeBytes) => view().pieces(path, sizeBytes),
    names: (path) => view().names(path),
  }
  let isDisk = false
  const changed = createChangedFiles({
    roots,
    files: seen,
    onState(when, path, state) {
      if (when === 'after' || !options.isOnTape()) write(when, path, state)
    },
    isLeftOut: (path) => path.endsWith('/node_modules'),
  })
  const placeOf = (path: string): string => place(resolve(cwd(), path))
  const onLayer = <T>(call: PerformedCall, perform: () => T): T => {
    const given = call.names.given.map(placeOf)
    return lower.assumingAbsent(newPaths(call, given), perform)
  }
  /**
   * Files that the tape does not know are not in the sandbox either: then they are refused, or copied from
   * the disk.
   */
  const inSandbox = <T>(call: PerformedCall, perform: () => T): T => {
    const [first] = call.names.given
    if (into.type === 'sandbox' && first !== undefined && typeof call.args[0] !== 'number') {
      const path = placeOf(first)
      const isNew = newPaths(call, call.names.given.map(placeOf))(path)
      if (!isNew && layerFiles(fs).lstat(path) === null && !copied.has(path)) {
        copied.add(path)
        const isThere = lower.entry(path) !== null && call.name !== 'symlink'
        if (isThere && options.readsDisk) copyIn(path)
      }
    }
    return perform()
  }
  const copied = new Set<string>()
  /** Copies a file of the program's folder, unless the sandbox has it. */
  const copyIn = (path: string): void => {
    if (into.type !== 'sandbox') return
    const to = sandboxPath({ folder: into.folder, root, placed: placeOf }, path)
    const stat = to === path ? null : diskFiles.lstat(path)
    if (stat === null || (stat.mode & 0o170000) !== 0o100000 || realFs.existsSync(to)) return
    realFs.mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    realFs.copyFileSync(path, to)
  }
  const descriptors = useReplayedChanges(session, {
    layer,
    fs: layerFs,
    place: placeOf,
    failed: () => undefined,
    before: (call) => announceChange(session, call),
    read(path, bytes) {
      if (isSame(() => layerFs.readFileSync(path), bytes)) return
      lower.learn(path, bytes)
      // The program had written it, and something else has changed it since.
      if (!isSame(() => layerFs.readFileSync(path), bytes)) layerFs.writeFileSync(path, bytes)
    },
  })
  const left: LeftTape = {
    descriptor(fd) {
      const own = descriptors.get(fd)
      if (own === undefined || fs === layerFs) return own ?? fd
      throw openAtLeaving(open.get(fd)?.file.portable ?? `the file with descriptor ${fd}`)
    },
    performed(call, perform) {
      if (isDisk) return perform()
      if (fs !== layerFs) return inSandbox(call, perform)
      const [first = ''] = call.names.given
      if (
        !SEES_EXISTENCE.has(call.name) &&
        typeof call.args[0] !== 'number' &&
        lower.isUnsure(placeOf(first))
      )
        throw unknown(paths.portable(placeOf(first)))
      // `exists` turns every error into false.
      if (call.name === 'exists') throwIfUnknown(() => layerFs.facts(placeOf(first), true))
      return onLayer(call, perform)
    },
    refused(call) {
      if (isDisk || options.readsDisk || typeof call.args[0] === 'number') return null
      return unknown(paths.portable(placeOf(call.names.given[0] ?? '')))
    },
  }
  const overlay = {
    layer,
    get fs() {
      return fs
    },
  }
  useFileAccess(session, {
    get overlay() {
      return isDisk ? null : overlay
    },
    changed,
    cwd,
    inputs: new Set(),
    left,
  })
  return {
    goLive() {
      if (into.type === 'disk') isDisk = true
      if (into.type !== 'sandbox') return
      const { folder } = into
      const sandbox = { folder, root, placed: placeOf }
      fillSandbox(
        folder,
        lower.onlyKnown(() => knownTree(layer, root)),
      )
      fs = sandboxFs(sandbox, layerFs)
      linkPackages(folder, root)
      for (const name of Object.keys(header.modules ?? {})) copyIn(placeOf(name))
      useChildFolder(session, ({ cwd: given, args }) => {
        const from = placeOf(given ?? cwd())
        // The scripts that a subprocess is started with are part of the program.
        for (const argument of args) if (!argument.startsWith('-')) copyIn(resolve(from, argument))
        return sandboxPath(sandbox, from)
      })
    },
    end() {
      changed.end()
      layer[Symbol.dispose]()
    },
  }
}

const SEES_EXISTENCE: ReadonlySet<string> = new Set(['exists', 'access'])

/** Paths that a call creates, whatever existed before. */
function newPaths({ name, args }: PerformedCall, given: readonly string[]): (path: string) => boolean {
  const [first = '', second] = given
  switch (name) {
    case 'writeFile':
      return (path) => path === first && !keepsContent(flagOf(args[2]))
    case 'open':
      return (path) => path === first && !keepsContent(args[1] ?? 'r')
    case 'mkdir':
      return (path) => path === first || first.startsWith(`${path}/`)
    case 'mkdtemp':
      return (path) => path.startsWith(first)
    case 'rename':
    case 'copyFile':
    case 'cp':
    case 'link':
    case 'symlink':
      return (path) => path === second
    default:
      return () => false
  }
}

/** `a`, `r+`: the content of the file stays. */
function keepsContent(flags: unknown): boolean {
  return (flagBits(flags) & (fileConstants.O_TRUNC | fileConstants.O_EXCL)) === 0
}

function flagOf(options: unknown): unknown {
  return typeof options === 'object' && options !== null ? (Reflect.get(options, 'flag') ?? 'w') : 'w'
}

function throwIfUnknown(look: () => unknown): void {
  try {
    look()
  } catch (error) {
    if (isRepriseError(error)) throw error
  }
}

function isSame(read: () => string | Buffer, bytes: Uint8Array): boolean {
  try {
    return Buffer.from(read()).equals(bytes)
  } catch {
    // Not known yet, or no file: the content that was read is used.
    return false
  }
}
