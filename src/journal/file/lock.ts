/**
 * The writers' lock: a symbolic link whose target names its owner. Making it is one atomic call that carries
 * its content, so a reader never meets a lock without an owner, and a dead owner is known at once, without
 * waiting out a timeout.
 *
 * The right to remove a dead owner's lock is a second link, named by that owner's token (see
 * real/file-lock.ts). A token whose process is dead never comes back.
 *
 * The lock is held for one synchronous batch, never across an await. An owner on another machine or in
 * another container cannot be judged: then `journal-locked` after the timeout, never a guess.
 *
 * Decision 0051.
 */
import { faultPoint } from '../../base/index.ts'
import { fromSystemError, RepriseError, systemCode } from '../../errors/index.ts'
import { type LockFiles, waitForLock } from '../../real/file-lock.ts'
import { fs, realRandomBytes } from '../../real/index.ts'
import { ownerText, ownLockOwner, parseOwner, presenceOfOwner } from './lock-owner.ts'

export type JournalLock = {
  /** Runs `work` while holding the lock. `work` is synchronous on purpose. */
  hold<T>(work: () => T): Promise<T>
}

export function createLock(path: string, timeoutMs: number): JournalLock {
  const mine = ownerText(ownLockOwner(Buffer.from(realRandomBytes(8)).toString('hex')))
  const files: LockFiles = {
    create: (name) => tryLink(name, mine),
    read: readLink,
    remove: unlinkIfThere,
    isDead: isDeadOwner,
    rightToRemove(name, holder) {
      const owner = parseOwner(holder)
      return owner === null ? null : `${name}.claim-${owner.token}`
    },
    onTakeover: () => faultPoint('journal:claimed'),
  }
  return {
    async hold(work) {
      // The common case, without a promise: the lock is free.
      if (!tryLink(path, mine) && (await waitForLock(files, path, timeoutMs)) === 'busy')
        throw lockedBy(path, readLink(path), timeoutMs)
      try {
        faultPoint('journal:locked')
        return work()
      } finally {
        // Not if someone removed the lock by hand and another has it now.
        if (readLink(path) === mine) unlinkIfThere(path)
      }
    },
  }
}

function isDeadOwner(holder: string): boolean {
  const owner = parseOwner(holder)
  return owner !== null && presenceOfOwner(owner) === 'gone'
}

function tryLink(path: string, target: string): boolean {
  try {
    fs.symlinkSync(target, path)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw fromSystemError(error, 'lock', path)
  }
}

function readLink(path: string): string | null {
  try {
    return fs.readlinkSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    // EINVAL: the path is not a link. It has no owner that could be dead.
    if (systemCode(error) === 'EINVAL') return ''
    throw fromSystemError(error, 'read', path)
  }
}

function unlinkIfThere(path: string): void {
  try {
    fs.unlinkSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fromSystemError(error, 'unlock', path)
  }
}

function lockedBy(path: string, holder: string | null, timeoutMs: number): RepriseError {
  const owner = holder === null ? null : parseOwner(holder)
  const where =
    owner === null || presenceOfOwner(owner) !== 'elsewhere' ? '' : ' of another machine or container'
  const who = owner === null ? 'something that is not a journal' : `process ${owner.pid}${where}`
  return new RepriseError('journal-locked', `${path} is held by ${who} for more than ${timeoutMs} ms`, {
    details: { path, pid: owner?.pid ?? null },
    hint: 'if that process is gone (another container or machine cannot be asked), remove the lock file',
  })
}
