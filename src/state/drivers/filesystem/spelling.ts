/**
 * On a file system that ignores case or Unicode form, `Plan.md` and `plan.md` are one file, but two keys.
 * There a key is found by its exact spelling only. Reading another spelling finds nothing; writing it is
 * refused.
 */
import { RepriseError, systemCode } from '../../../errors/index.ts'
import { createFileIn, type Folder, namesIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import { foldName, META_FOLDER } from '../../keys.ts'
import { FILE_MODE, isNoFolder, openChain, type ReadFolders } from './places.ts'

const PROBE_COMPOSED = 'probe-\u00e9'
const PROBE_DECOMPOSED = 'probe-e\u0301'

/** Whether the file system takes two spellings for one name. */
export function folds(folders: ReadFolders): boolean {
  if (folders.meta !== null && isThere(folders.session, META_FOLDER.toUpperCase())) return true
  return (
    folders.ours !== null && isThere(folders.ours, PROBE_COMPOSED) && isThere(folders.ours, PROBE_DECOMPOSED)
  )
}

/** Leaves the file by which `folds` finds out about Unicode forms. */
export function makeProbe(ours: Folder): void {
  try {
    fs.closeSync(createFileIn(ours, PROBE_COMPOSED, new Uint8Array(), FILE_MODE))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

/** The spelling under which something of this name is there already, if it is another one. */
export function otherSpelling(folder: Folder, components: readonly string[]): string | null {
  for (let length = 1; length <= components.length; length += 1) {
    const parents = components.slice(0, length - 1)
    const name = components[length - 1] ?? ''
    using chain = openIfThere(folder, parents)
    if (chain === null) return null
    const found = namesIn(chain.parent).find((entry) => foldName(entry.name) === foldName(name))
    if (found === undefined) return null
    if (found.name !== name) return [...parents, found.name].join('/')
  }
  return null
}

export function collisionError(what: 'key' | 'session', name: string, other: string): RepriseError {
  return new RepriseError(
    'state-key-collision',
    `agent_state: ${what} '${name}' and '${other}' are one name on this file system`,
    {
      details: { name, other },
      hint: `use '${other}', or another name`,
    },
  )
}

function openIfThere(folder: Folder, names: readonly string[]): ReturnType<typeof openChain> {
  try {
    return openChain(folder, names, false)
  } catch (error) {
    if (isNoFolder(error)) return null
    throw error
  }
}

function isThere(folder: Folder, name: string): boolean {
  return fs.lstatSync(folder.at(name), { throwIfNoEntry: false }) !== undefined
}
