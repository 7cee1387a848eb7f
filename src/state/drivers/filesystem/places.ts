/**
 * Where things lie in a session's folder, and how to get there without following a link: every step from the
 * root down is opened as a real folder, and the next name is looked up in it.
 *
 * `<root>/<session>/<key>` and `<root>/<session>/.agent_state_meta/<key>.json` are upstream's. Ours is below
 * `.agent_state_meta/.agent_state_tmp.reprise/`, which upstream neither lists nor touches.
 *
 * Decision 0042.
 */
import { contentHash, utf8 } from '../../../base/index.ts'
import { fromSystemError, RepriseError, systemCode } from '../../../errors/index.ts'
import { type Folder, makeFolderIn, openFolder, openFolderIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import { clashError, META_FOLDER } from '../../keys.ts'

export const OUR_FOLDER = '.agent_state_tmp.reprise'
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

export type SessionFolders = Disposable & {
  readonly session: Folder
  readonly meta: Folder
  readonly ours: Folder
}

/** For reading: what upstream made has no folder of ours, and a session without a write has no metadata. */
export type ReadFolders = Disposable & {
  readonly session: Folder
  readonly meta: Folder | null
  readonly ours: Folder | null
}

/** Null if there is no such session. Makes nothing. */
export function openForReading(root: string, sessionId: string): ReadFolders | null {
  const opened: (Folder | null)[] = []
  const dispose = (): void => {
    for (const folder of opened) folder?.[Symbol.dispose]()
  }
  try {
    using folder = openFolder(root)
    const session = stepInto(folder, sessionId)
    if (session === null) return null
    opened.push(session)
    const meta = stepInto(session, META_FOLDER)
    opened.push(meta)
    const ours = meta === null ? null : stepInto(meta, OUR_FOLDER)
    opened.push(ours)
    return { session, meta, ours, [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    // A file of that name is no session either.
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return null
    throw systemError(error, 'open', `${root}/${sessionId}`)
  }
}

/** For writing: makes what is missing, the session included. */
export function openForWriting(root: string, sessionId: string): SessionFolders {
  const opened: Folder[] = []
  const dispose = (): void => {
    for (const folder of opened) folder[Symbol.dispose]()
  }
  try {
    const make = (parent: Folder, name: string): Folder => {
      const { folder } = makeStep(parent, name)
      opened.push(folder)
      return folder
    }
    using parent = openFolder(root)
    const session = make(parent, sessionId)
    const meta = make(session, META_FOLDER)
    const ours = make(meta, OUR_FOLDER)
    return { session, meta, ours, [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    if (systemCode(error) === 'ENOTDIR') throw notAFolder(`${root}/${sessionId}`)
    throw systemError(error, 'open', `${root}/${sessionId}`)
  }
}

/**
 * The folders on the way to a name, outermost first and without the base; `made` are those into which a new
 * folder was put.
 */
export type Chain = Disposable & {
  readonly parent: Folder
  readonly steps: readonly { readonly folder: Folder; readonly name: string }[]
  readonly made: readonly Folder[]
}

/** One folder further; null if it is not there. A link is refused by its own name. */
function stepInto(parent: Folder, name: string): Folder | null {
  try {
    return openFolderIn(parent, name)
  } catch (error) {
    if (isNoFolder(error) && fs.lstatSync(parent.at(name), { throwIfNoEntry: false })?.isSymbolicLink())
      throw linkRefused(`${parent.path}/${name}`)
    throw error
  }
}

/** Null for a folder that was replaced since it was listed, by a file or a link: a link is not followed. */
export function openUnlessReplaced(parent: Folder, name: string): Folder | null {
  try {
    return openFolderIn(parent, name)
  } catch (error) {
    if (isNoFolder(error)) return null
    throw error
  }
}

/** The error of opening a folder where a file or a link is. */
export function isNoFolder(error: unknown): boolean {
  const code = systemCode(error)
  return code === 'ENOTDIR' || code === 'ELOOP'
}

/** Looks before it makes: nearly always the folder is there, and an error costs more than a look. */
function makeStep(parent: Folder, name: string): { readonly folder: Folder; readonly isNew: boolean } {
  for (;;) {
    const folder = stepInto(parent, name)
    if (folder !== null) return { folder, isNew: false }
    const isNew = makeFolderIn(parent, name, FOLDER_MODE)
    const made = stepInto(parent, name)
    if (made !== null) return { folder: made, isNew }
  }
}

/**
 * Null if a folder on the way is missing and none is to be made. Throws `ENOTDIR` where a file is in the way.
 */
export function openChain(base: Folder, names: readonly string[], make: boolean): Chain | null {
  const steps: { folder: Folder; name: string }[] = []
  const made: Folder[] = []
  const opened: Folder[] = []
  const dispose = (): void => {
    for (const folder of opened) folder[Symbol.dispose]()
  }
  let parent = base
  try {
    for (const name of names) {
      const { folder: next, isNew } = make
        ? makeStep(parent, name)
        : { folder: stepInto(parent, name), isNew: false }
      if (next === null) {
        dispose()
        return null
      }
      if (isNew) made.push(parent)
      opened.push(next)
      steps.push({ folder: parent, name })
      parent = next
    }
    return { parent, steps, made, [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

export function splitKey(key: string): { readonly parents: readonly string[]; readonly name: string } {
  const components = key.split('/')
  return { parents: components.slice(0, -1), name: components.at(-1) ?? '' }
}

/** The name of a key in our own folders: of one length, the same on every file system. */
export function keyId(key: string): string {
  return contentHash(utf8(key)).slice(0, 32)
}

/** Maps an error of the operating system to ours. A link in the path has its own code. */
export function systemError(error: unknown, action: string, path: string): unknown {
  if (error instanceof RepriseError || systemCode(error) === undefined) return error
  if (systemCode(error) === 'ELOOP' || (systemCode(error) === 'ENOTDIR' && isLink(path)))
    return linkRefused(path)
  if (systemCode(error) === 'ENOTFILE') {
    return new RepriseError('not-a-file', `cannot ${action} ${path}: it is not a plain file`, {
      details: { path },
      hint: 'remove what lies there',
    })
  }
  return fromSystemError(error, action, path)
}

function notAFolder(path: string): RepriseError {
  return new RepriseError(
    'state-session-invalid',
    `agent_state: ${path} is not a folder, or something in the way to its metadata is not`,
    {
      details: { path },
      hint: 'choose another session id or root',
    },
  )
}

function linkRefused(path: string): RepriseError {
  return new RepriseError(
    'state-link-refused',
    `agent_state: ${path} is a symbolic link, or lies behind one`,
    {
      details: { path },
      hint: 'state never follows links out of its session: replace the link by a folder or a file',
    },
  )
}

/** The error for a key whose way is blocked: by a link, or by another key. */
export function blockedKey(session: Folder, key: string): RepriseError {
  const components = key.split('/')
  for (let length = 1; length <= components.length; length += 1) {
    const part = components.slice(0, length).join('/')
    const stat = fs.lstatSync(session.at(part), { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) return linkRefused(`${session.path}/${part}`)
    if (stat?.isFile() && length < components.length) return clashError(key, part)
  }
  return new RepriseError('io', `agent_state: the way to '${key}' changed while it was walked`, {
    details: { key },
    hint: 'try again',
  })
}

function isLink(path: string): boolean {
  try {
    return fs.lstatSync(path).isSymbolicLink()
  } catch {
    // Deleted meanwhile: throw the original error.
    return false
  }
}
