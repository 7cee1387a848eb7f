/**
 * Writes what a run changed into a folder. First everything is checked: a file that differs from the tape's
 * earlier state is a conflict, and then nothing is written at all. Each file is replaced atomically (a
 * temporary file is written, then renamed).
 *
 * Nothing outside the folder is changed: every step goes through folders that are held open and are no links,
 * so that no link in the folder, not even a new one, leads out.
 */
import { equalBytes, utf8 } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import {
  createFileIn,
  type Folder,
  flush,
  isIn,
  makeFolderIn,
  openFolder,
  openFolderIn,
  removeFileIn,
} from '../../real/folders.ts'
import { fs } from '../../real/fs.ts'
import { realRandomUuid } from '../../real/random.ts'
import type { FileEntry, FileTree } from './diff/file-tree.ts'

/** `stands`: it is never overwritten, whatever the user's options. */
export type Conflict = { readonly path: string; readonly reason: string; readonly blocks?: true }

export type PlannedStep = {
  readonly path: string
  readonly before: FileEntry | null
  readonly after: FileEntry | null
}

/** The paths that differ, in order: removals from the leaves up, then additions from the top down. */
export function plannedSteps(before: FileTree, after: FileTree): PlannedStep[] {
  const steps: PlannedStep[] = []
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const step = { path, before: before.get(path) ?? null, after: after.get(path) ?? null }
    if (!isEqual(step.before, step.after)) steps.push(step)
  }
  return steps
}

/** Where the folder differs from the tape's earlier state. */
export function findConflicts(folder: string, steps: readonly PlannedStep[]): Conflict[] {
  using root = openFolder(folder)
  const conflicts: Conflict[] = []
  for (const { path, before, after } of steps) {
    const reason = difference(root, path, before, after)
    if (reason !== null)
      conflicts.push({
        path,
        reason,
        ...(reason === LINK_ABOVE || reason === LINK_HERE ? { blocks: true } : {}),
      })
  }
  return conflicts
}

export async function writeSteps(folder: string, steps: readonly PlannedStep[]): Promise<void> {
  using root = openFolder(folder)
  for (const { path, before, after } of steps.toReversed())
    if (before !== null && before.kind !== after?.kind) remove(root, path)
  for (const { path, after } of steps) if (after !== null) await put(root, path, after)
}

function difference(
  root: Folder,
  path: string,
  before: FileEntry | null,
  after: FileEntry | null,
): string | null {
  const found = lookUp(root, path)
  if (found === 'link above') return LINK_ABOVE
  if (found === 'other') return 'neither file, folder nor link'
  if (before?.kind !== 'symlink' && after?.kind === 'folder' && found?.kind === 'symlink') return LINK_HERE
  if (before === null)
    return found === null || (found.kind === 'folder' && after?.kind === 'folder') ? null : 'is there already'
  if (found === null) return 'is gone'
  if (found.kind !== before.kind) return `is a ${found.kind} now`
  if (found.kind === 'folder' || before.kind === 'folder') return null
  return isEqual(withoutRights(found), withoutRights(before)) ? null : 'has another content'
}

const LINK_ABOVE =
  'a folder above it is a link here, and a folder on the tape: remove the link, or apply elsewhere'
const LINK_HERE = 'is a link, and the tape has a folder there: remove the link, or apply elsewhere'

function lookUp(root: Folder, path: string): FileEntry | null | 'link above' | 'other' {
  return within(root, path, (folder, name) => {
    const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false })
    if (stat === undefined) return null
    const mode = stat.mode & 0o7777
    if (stat.isDirectory()) return { kind: 'folder', mode }
    if (stat.isSymbolicLink()) return { kind: 'symlink', target: fs.readlinkSync(folder.at(name)) }
    return stat.isFile() ? { kind: 'file', mode, bytes: fs.readFileSync(folder.at(name)) } : 'other'
  })
}

/** Runs `use` with the folder that contains the last name. */
function within<T>(
  root: Folder,
  path: string,
  use: (folder: Folder, name: string) => T,
): T | null | 'link above' {
  try {
    using way = wayTo(root, path, openFolderIn)
    return way === null ? null : use(way.folder, way.name)
  } catch (error) {
    if (isLinkInTheWay(error)) return 'link above'
    throw error
  }
}

type Way = Disposable & { readonly folder: Folder; readonly name: string }

/**
 * The folder that contains the last name of a path. It and all above it are held open until this is disposed.
 * Null if `open` returns none.
 */
function wayTo(
  root: Folder,
  path: string,
  open: (folder: Folder, name: string) => Folder | null,
): Way | null {
  const names = path.split('/')
  const name = names.pop() ?? ''
  const held: Folder[] = []
  const dispose = (): void => {
    for (const folder of held.reverse()) folder[Symbol.dispose]()
  }
  try {
    for (const each of names) {
      const next = open(held.at(-1) ?? root, each)
      if (next === null) {
        dispose()
        return null
      }
      held.push(next)
    }
  } catch (error) {
    dispose()
    throw error
  }
  return { folder: held.at(-1) ?? root, name, [Symbol.dispose]: dispose }
}

function isLinkInTheWay(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTDIR' || error.code === 'ELOOP')
}

function remove(root: Folder, path: string): void {
  within(root, path, (folder, name) => {
    const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false })
    if (stat === undefined) return
    if (!stat.isDirectory()) return void removeFileIn(folder, name)
    try {
      fs.rmdirSync(folder.at(name))
    } catch (error) {
      // It contains files that the tape does not know: they stay, and so does their folder.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
    }
  })
}

async function put(root: Folder, path: string, entry: FileEntry): Promise<void> {
  using way = wayTo(root, path, (folder, name) => {
    makeFolderIn(folder, name, 0o777)
    return openFolderIn(folder, name)
  })
  if (way === null)
    throw new RepriseError('io', `a folder on the way to ${path} went away`, {
      details: { path },
      hint: 'run it again',
    })
  await putIn(way.folder, way.name, entry)
}

async function putIn(folder: Folder, name: string, entry: FileEntry): Promise<void> {
  if (entry.kind === 'folder') {
    makeFolderIn(folder, name, 0o777)
    using made = openFolderIn(folder, name)
    if (made !== null) fs.fchmodSync(made.fd, entry.mode)
    return
  }
  const temporary = `.reprise-${realRandomUuid()}`
  try {
    if (entry.kind === 'symlink') fs.symlinkSync(entry.target, folder.at(temporary))
    else {
      const fd = createFileIn(folder, temporary, entry.bytes, 0o600)
      try {
        fs.fchmodSync(fd, entry.mode)
        await flush(fd)
      } finally {
        fs.closeSync(fd)
      }
    }
    fs.renameSync(folder.at(temporary), folder.at(name))
  } finally {
    if (isIn(folder, temporary)) removeFileIn(folder, temporary)
  }
}

function isEqual(a: FileEntry | null, b: FileEntry | null): boolean {
  if (a === null || b === null) return a === b
  if (a.kind === 'file' && b.kind === 'file') return a.mode === b.mode && equalBytes(a.bytes, b.bytes)
  if (a.kind === 'symlink' && b.kind === 'symlink') return a.target === b.target
  return a.kind === 'folder' && b.kind === 'folder' && a.mode === b.mode
}

/** Another machine has another umask: modes are no conflict. */
function withoutRights(entry: FileEntry): FileEntry {
  if (entry.kind === 'file') return { ...entry, mode: 0 }
  return entry.kind === 'symlink' ? { kind: 'file', mode: 1, bytes: utf8(entry.target) } : entry
}
