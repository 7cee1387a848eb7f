/**
 * Puts one change in place. Both files are made whole and flushed aside; then the metadata is renamed, and
 * then the content: that rename is the commit. Before it the old content has its old owner, after it the new
 * one has the new.
 *
 * An error or a crash before the commit leaves the old value. After it the change is durable, and only its
 * flush can still fail.
 *
 * Decisions 0040 and 0170.
 */
import { utf8 } from '../../../base/index.ts'
import { RepriseError, systemCode } from '../../../errors/index.ts'
import { createFileIn, type Folder, flush, removeFileIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import { abortIfRequested } from '../../../real/state-abort.ts'
import type { Change } from '../../contract.ts'
import { stateFault } from '../../fault-points.ts'
import { versionNumber } from '../../version.ts'
import { announceVersion, keepVersion, openHistory } from './history.ts'
import { encodeMetadata } from './metadata.ts'
import { dropOwnPlace, findMetadata, type MetadataPlace, metadataPlace } from './metadata-place.ts'
import { type Chain, FILE_MODE, openChain, type SessionFolders, splitKey } from './places.ts'

export type StagedFiles = {
  readonly folder: Folder
  /** Null for a deletion. */
  readonly content: string | null
  readonly metadata: string
}

/**
 * Writes the files of a change aside and flushes them, each as soon as it is written; `meanwhile` is done
 * while the disk is busy. On an error nothing of the files is left.
 */
export async function stageChange(
  folder: Folder,
  name: string,
  change: Change,
  meanwhile?: () => void,
): Promise<StagedFiles> {
  const staged: StagedFiles = {
    folder,
    content: change.kind === 'put' ? `${name}.content` : null,
    metadata: `${name}.json`,
  }
  const open: number[] = []
  const flushing: Promise<void>[] = []
  const stage = (as: string, bytes: Uint8Array): void => {
    const fd = createFileIn(folder, as, bytes, FILE_MODE)
    open.push(fd)
    flushing.push(flush(fd))
  }
  try {
    stateFault('state.stage-content')
    if (change.kind === 'put') stage(`${name}.content`, change.content)
    stateFault('state.stage-metadata')
    stage(staged.metadata, utf8(encodeMetadata(change)))
    stateFault('state.flush')
    meanwhile?.()
    await Promise.all(flushing)
    stateFault('state.staged')
    return staged
  } catch (error) {
    // A flush that is under way must not meet another file under its number.
    await Promise.allSettled(flushing)
    discard(staged)
    throw error
  } finally {
    for (const fd of open) fs.closeSync(fd)
  }
}

export function discard(staged: StagedFiles): void {
  for (const name of [staged.content, staged.metadata]) if (name !== null) removeFileIn(staged.folder, name)
}

export type Placing = {
  readonly historyLimit: number
  /** After a crash, when part of it may be in place already. */
  readonly redo: boolean
}

export async function placeChange(
  folders: SessionFolders,
  change: Change,
  staged: StagedFiles,
  placing: Placing,
): Promise<void> {
  abortIfRequested()
  if (change.kind === 'remove') return placeRemove(folders, change, staged, placing)
  using ready = readyForPut(folders, change, placing.historyLimit)
  await placePut(folders, change, staged, ready, placing.redo)
}

/** Stages and places one change: what the placing needs is made ready while the staged files are flushed. */
export async function stageAndPlace(
  folders: SessionFolders,
  staging: Folder,
  name: string,
  change: Change,
  historyLimit: number,
): Promise<void> {
  let made: ReadyForPut | null = null
  const meanwhile = (): void => {
    if (change.kind === 'put') made = readyForPut(folders, change, historyLimit)
  }
  try {
    const staged = await stageChange(staging, name, change, meanwhile)
    try {
      const ready = made as ReadyForPut | null
      if (change.kind === 'remove' || ready === null)
        return await placeChange(folders, change, staged, { historyLimit, redo: false })
      abortIfRequested()
      await placePut(folders, change, staged, ready, false)
    } catch (error) {
      discard(staged)
      throw error
    }
  } finally {
    ;(made as ReadyForPut | null)?.[Symbol.dispose]()
  }
}

/** Makes the folders that a change will need, while it can still be given up. */
export function prepareFolders(folders: SessionFolders, change: Change, historyLimit: number): void {
  using _history =
    historyLimit > 0 || change.kind === 'remove' ? openHistory(folders.ours, change.key, true) : null
  if (change.kind === 'remove') return
  using _place = metadataPlace(folders, change.key)
}

type ReadyForPut = Disposable & {
  readonly chain: Chain
  readonly history: Chain | null
  readonly place: MetadataPlace
  readonly name: string
}

/**
 * Opens every folder that a put needs and links what is there into the history. Given up after this, it has
 * changed nothing that anyone reads.
 */
function readyForPut(
  folders: SessionFolders,
  change: Change & { kind: 'put' },
  historyLimit: number,
): ReadyForPut {
  const opened: Disposable[] = []
  const dispose = (): void => {
    for (const one of opened.splice(0)) one[Symbol.dispose]()
  }
  try {
    const { parents, name } = splitKey(change.key)
    const chain = openChain(folders.session, parents, true)
    if (chain === null) throw new Error('unreachable: the folder was just made')
    opened.push(chain)
    const history = historyLimit > 0 ? openHistory(folders.ours, change.key, true) : null
    if (history !== null) opened.push(history)
    const place = metadataPlace(folders, change.key)
    opened.push(place)
    if (history !== null) keepBefore(change, { folder: chain.parent, name }, place, history.parent)
    if (change.before === null) removeEmptyFolder(chain.parent, name)
    return { chain, history, place, name, [Symbol.dispose]: dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

async function placePut(
  folders: SessionFolders,
  change: Change & { kind: 'put' },
  staged: StagedFiles,
  { chain, history, place, name }: ReadyForPut,
  redo: boolean,
): Promise<void> {
  if (staged.content === null) throw new Error('unreachable: a put has content')
  stateFault('state.rename-metadata')
  onceOrAgain(redo, () => {
    if (history !== null)
      announceVersion(history.parent, versionNumber(change.version), {
        folder: staged.folder,
        name: staged.metadata,
      })
    fs.renameSync(staged.folder.at(staged.metadata), place.folder.at(place.name))
  })
  stateFault('state.rename-content')
  fs.renameSync(staged.folder.at(staged.content), chain.parent.at(name))
  stateFault('state.renamed')
  const flushed = flushFolders([chain.parent, place.folder, ...chain.made, ...place.made])
  if (place.chain !== null && change.before !== null) dropOwnPlace(folders, change.key)
  await flushed
}

async function placeRemove(
  folders: SessionFolders,
  change: Change & { kind: 'remove' },
  staged: StagedFiles,
  placing: Placing,
): Promise<void> {
  const { historyLimit, redo } = placing
  const { parents, name } = splitKey(change.key)
  using chain = openChain(folders.session, parents, false)
  using history = openHistory(folders.ours, change.key, true)
  if (chain === null || history === null) return
  using found = findMetadata(folders, change.key)
  if (historyLimit > 0)
    keepBefore(
      change,
      { folder: chain.parent, name },
      found ?? { folder: folders.meta, name: '' },
      history.parent,
    )
  stateFault('state.rename-deletion')
  onceOrAgain(redo, () =>
    fs.renameSync(
      staged.folder.at(staged.metadata),
      history.parent.at(`${versionNumber(change.version)}.json`),
    ),
  )
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
    await flushEach(folders)
  } catch (error) {
    throw new RepriseError(
      'state-not-durable',
      'agent_state: the change is made, but the disk did not confirm it',
      {
        cause: error,
        hint: 'check the disk; read the key to see what it holds',
      },
    )
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
    if (systemCode(error) !== 'ENOENT') throw error
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
    if (!redo || systemCode(error) !== 'ENOENT') throw error
  }
}

export async function flushEach(folders: readonly Folder[]): Promise<void> {
  try {
    await Promise.all([...new Set(folders.map(({ fd }) => fd))].map(flush))
  } catch (error) {
    // Some file systems know no flush of a folder; then there is nothing more to be had.
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR', 'EBADF'].includes(systemCode(error) ?? '')) throw error
  }
}
