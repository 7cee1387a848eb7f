/**
 * Puts one change in place. Both files are made whole and flushed aside; then the metadata is renamed, and then the content: that rename is the commit.
 * Before it the old content has its old owner, after it the new one has the new.
 *
 * An error or a crash before the commit leaves the old value. After it the change stands, and only its flush can still fail.
 */
import { utf8 } from '../../../base/index.ts'
import { RepriseError } from '../../../errors/index.ts'
import { createFileIn, type Folder, flush, removeFileIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import { abortIfAsked } from '../../../real/state-abort.ts'
import type { Change } from '../../contract.ts'
import { stateFault } from '../../fault-points.ts'
import { versionNumber } from '../../version.ts'
import { announceVersion, dropOldVersions, keepVersion, openHistory } from './history.ts'
import { encodeMetadata } from './metadata.ts'
import { dropOwnPlace, findMetadata, metadataPlace } from './metadata-place.ts'
import { type Chain, codeOf, FILE_MODE, openChain, type SessionFolders, splitKey } from './places.ts'

export type StagedFiles = {
  readonly folder: Folder
  /** Null for a deletion. */
  readonly content: string | null
  readonly metadata: string
}

/** Writes the files of a change aside and flushes them. On an error nothing of them is left. */
export async function stageChange(folder: Folder, name: string, change: Change): Promise<StagedFiles> {
  const staged: StagedFiles = { folder, content: change.kind === 'put' ? `${name}.content` : null, metadata: `${name}.json` }
  const open: number[] = []
  try {
    stateFault('state.stage-content')
    if (change.kind === 'put') open.push(createFileIn(folder, `${name}.content`, change.content, FILE_MODE))
    stateFault('state.stage-metadata')
    open.push(createFileIn(folder, staged.metadata, utf8(encodeMetadata(change)), FILE_MODE))
    stateFault('state.flush')
    await Promise.all(open.map(flush))
    stateFault('state.staged')
    return staged
  } catch (error) {
    discard(staged)
    throw error
  } finally {
    for (const fd of open) fs.closeSync(fd)
  }
}

export function discard(staged: StagedFiles): void {
  for (const name of [staged.content, staged.metadata]) if (name !== null) removeFileIn(staged.folder, name)
}

/** `redo`: after a crash, when part of it may be in place already. */
export async function placeChange(folders: SessionFolders, change: Change, staged: StagedFiles, historyLimit: number, redo: boolean): Promise<void> {
  abortIfAsked()
  if (change.kind === 'put') await placePut(folders, change, staged, historyLimit, redo)
  else await placeRemove(folders, change, staged, historyLimit, redo)
  dropOldVersions(folders.ours, change.key, versionNumber(change.version), historyLimit)
}

/** Makes the folders that a change will need, while it can still be given up. */
export function prepareFolders(folders: SessionFolders, change: Change, historyLimit: number): void {
  using _history = historyLimit > 0 || change.kind === 'remove' ? openHistory(folders.ours, change.key, true) : null
  if (change.kind === 'remove') return
  using _place = metadataPlace(folders, change.key)
}

async function placePut(
  folders: SessionFolders,
  change: Change & { kind: 'put' },
  staged: StagedFiles,
  historyLimit: number,
  redo: boolean,
): Promise<void> {
  const { parents, name } = splitKey(change.key)
  using chain = openChain(folders.session, parents, true)
  if (chain === null || staged.content === null) throw new Error('unreachable: the folder was just made')
  using history = historyLimit > 0 ? openHistory(folders.ours, change.key, true) : null
  using place = metadataPlace(folders, change.key)
  if (history !== null) keepBefore(change, { folder: chain.parent, name }, place, history.parent)
  if (change.before === null) removeEmptyFolder(chain.parent, name)
  stateFault('state.rename-metadata')
  onceOrAgain(redo, () => {
    if (history !== null) announceVersion(history.parent, versionNumber(change.version), { folder: staged.folder, name: staged.metadata })
    fs.renameSync(staged.folder.at(staged.metadata), place.folder.at(place.name))
  })
  stateFault('state.rename-content')
  fs.renameSync(staged.folder.at(staged.content), chain.parent.at(name))
  stateFault('state.renamed')
  if (place.chain !== null && change.before !== null) dropOwnPlace(folders, change.key)
  await flushFolders([chain.parent, place.folder, ...chain.made, ...place.made])
}

async function placeRemove(
  folders: SessionFolders,
  change: Change & { kind: 'remove' },
  staged: StagedFiles,
  historyLimit: number,
  redo: boolean,
): Promise<void> {
  const { parents, name } = splitKey(change.key)
  using chain = openChain(folders.session, parents, false)
  using history = openHistory(folders.ours, change.key, true)
  if (chain === null || history === null) return
  using found = findMetadata(folders, change.key)
  if (historyLimit > 0) keepBefore(change, { folder: chain.parent, name }, found ?? { folder: folders.meta, name: '' }, history.parent)
  stateFault('state.rename-deletion')
  onceOrAgain(redo, () => fs.renameSync(staged.folder.at(staged.metadata), history.parent.at(`${versionNumber(change.version)}.json`)))
  stateFault('state.remove-content')
  removeFileIn(chain.parent, name)
  stateFault('state.remove-metadata')
  if (found !== null) {
    removeFileIn(found.folder, found.name)
    if (found.chain !== null) pruneEmpty(found.chain)
  }
  await flushFolders([chain.parent, history.parent])
  pruneEmpty(chain)
}

async function flushFolders(folders: readonly Folder[]): Promise<void> {
  try {
    stateFault('state.flush-folders')
    await Promise.all([...new Map(folders.map((folder) => [folder.fd, folder])).values()].map(flushFolder))
  } catch (error) {
    throw new RepriseError('state-not-durable', 'agent_state: the change is made, but the disk did not confirm it', {
      cause: error,
      hint: 'check the disk; read the key to see what it holds',
    })
  }
}

type Place = { readonly folder: Folder; readonly name: string }

function keepBefore(change: Change, content: Place, metadata: Place, history: Folder): void {
  if (change.before === null) return
  stateFault('state.keep')
  try {
    keepVersion(history, change.before, content, metadata)
  } catch (error) {
    // Done again after a crash: what was to be kept has been kept, and replaced.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Empty folders are no keys; one that a crash or another program left must not keep a key from its name. */
function removeEmptyFolder(parent: Folder, name: string): void {
  if (!fs.lstatSync(parent.at(name), { throwIfNoEntry: false })?.isDirectory()) return
  using inner = openChain(parent, [name], false)
  if (inner === null) return
  for (const child of fs.readdirSync(inner.parent.at('.'))) removeEmptyFolder(inner.parent, child)
  fs.rmdirSync(parent.at(name))
}

function pruneEmpty(chain: Chain): void {
  for (const { folder, name } of [...chain.steps].reverse()) {
    try {
      fs.rmdirSync(folder.at(name))
    } catch {
      // Not empty, or someone was faster: then it stays.
      return
    }
  }
}

/** Done again after a crash, a staged file that is gone is one that is in place. */
function onceOrAgain(redo: boolean, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!redo || codeOf(error) !== 'ENOENT') throw error
  }
}

export async function flushFolder(folder: Folder): Promise<void> {
  try {
    await flush(folder.fd)
  } catch (error) {
    // Some file systems know no flush of a folder; then there is nothing more to be had.
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR', 'EBADF'].includes(codeOf(error) ?? '')) throw error
  }
}
