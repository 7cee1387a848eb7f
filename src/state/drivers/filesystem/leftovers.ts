/**
 * Cleans up after crashes, under the lock: an unfinished transaction is finished, staged files and tickets of
 * the dead are removed. Upstream's temp files are next to the keys; those older than an hour belong to no
 * living write.
 */
import { type Folder, namesIn, readFileIn } from '../../../real/folders.ts'
import { fs, now } from '../../../real/index.ts'
import { TEMP_MARK } from '../../keys.ts'
import { isDeadTicket, isHeldByDead, TICKET_MARK } from './lock.ts'
import { OUR_FOLDER, openChain, openUnlessReplaced, type SessionFolders } from './places.ts'
import { finishCommit, hasCommit } from './transaction.ts'

const ABANDONED_MS = 3_600_000

/** Without the lock, and without a write: is there anything that a crash may have left? */
export function hasLeftovers(ours: Folder): boolean {
  if (hasCommit(ours) || isHeldByDead(ours)) return true
  using staging = openChain(ours, ['staging'], false)
  return staging !== null && namesIn(staging.parent).length > 0
}

export async function clearLeftovers(folders: SessionFolders, historyLimit: number): Promise<void> {
  await finishCommit(folders, historyLimit)
  using staging = openChain(folders.ours, ['staging'], false)
  if (staging !== null)
    for (const { name } of namesIn(staging.parent))
      fs.rmSync(staging.parent.at(name), { force: true, recursive: true })
  for (const { name } of namesIn(folders.ours))
    if (name.startsWith(TICKET_MARK)) dropDeadTicket(folders.ours, name)
  dropAbandoned(folders.session, now() - ABANDONED_MS)
}

function dropDeadTicket(ours: Folder, name: string): void {
  const bytes = readFileIn(ours, name)
  if (bytes !== null && isDeadTicket(bytes)) fs.rmSync(ours.at(name), { force: true })
}

function dropAbandoned(folder: Folder, olderThan: number): void {
  for (const { name, kind } of namesIn(folder)) {
    if (name === OUR_FOLDER) continue
    if (kind === 'file' && name.includes(TEMP_MARK)) {
      const stat = fs.lstatSync(folder.at(name), { throwIfNoEntry: false })
      if (stat !== undefined && stat.mtimeMs < olderThan) fs.rmSync(folder.at(name), { force: true })
    }
    if (kind !== 'folder') continue
    using inner = openUnlessReplaced(folder, name)
    if (inner !== null) dropAbandoned(inner, olderThan)
  }
}
