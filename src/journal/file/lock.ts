/**
 * The writers' lock: a symbolic link whose target names its owner. Making it is one atomic call that carries its content, so a reader never meets
 * a lock without an owner, and a dead owner is known at once, without waiting out a timeout.
 *
 * Takeover. Removing a dead owner's lock is itself a right that only one process may hold, else two would each remove "the dead lock" and one of
 * them would remove the other's live one. The right is a second link, named by the dead owner's token; its holder may die too, and is then taken
 * over in the same way. A token whose process is dead never comes back, so whoever holds its claim may remove what bears it.
 *
 * The lock is held for one synchronous batch, never across an await. An owner on another machine or in another container cannot be judged: then
 * `journal-locked` after the timeout, never a guess.
 */
import { faultPoint } from '../../base/index.ts'
import { fromSystemError, RepriseError } from '../../errors/index.ts'
import { fs, monotonicMs, realRandomBytes, realSetImmediate, realSetTimeout } from '../../real/index.ts'
import { livenessOf, ownerText, ownLockOwner, parseOwner } from './lock-owner.ts'

export type JournalLock = {
  /** Runs `work` while holding the lock. `work` is synchronous on purpose. */
  hold<T>(work: () => T): Promise<T>
}

export function createLock(path: string, timeoutMs: number): JournalLock {
  const mine = ownerText(ownLockOwner(Buffer.from(realRandomBytes(8)).toString('hex')))
  return {
    async hold(work) {
      if (!tryLink(path, mine)) await waitForLock(path, mine, timeoutMs)
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

async function waitForLock(path: string, mine: string, timeoutMs: number): Promise<void> {
  const deadline = monotonicMs() + timeoutMs
  let judged = ''
  for (let attempt = 1; ; attempt += 1) {
    const holder = readLink(path)
    // Ask the operating system about an owner when it is first seen, and now and then again; /proc is slower than a failed link.
    if (holder !== null && (holder !== judged || attempt % 64 === 0)) {
      removeIfDead(path, holder, mine)
      judged = holder
    }
    if (tryLink(path, mine)) return
    if (monotonicMs() > deadline) throw lockedBy(path, holder, timeoutMs)
    await pause(attempt)
  }
}

/** Gives the holder the processor first, then backs off to a few milliseconds, out of step with the other waiters. */
function pause(attempt: number): Promise<void> {
  const backoffMs = Math.min(8, 1 + attempt / 32)
  return new Promise((resolve) => {
    if (attempt < 8) realSetImmediate(resolve)
    else realSetTimeout(resolve, backoffMs * (0.5 + ((realRandomBytes(1)[0] ?? 0) / 255) * 0.5))
  })
}

function removeIfDead(path: string, holder: string, mine: string): void {
  const owner = parseOwner(holder)
  if (owner === null || livenessOf(owner) !== 'dead') return
  const claim = `${path}.claim-${owner.token}`
  if (!tryLink(claim, mine)) {
    const claimant = readLink(claim)
    if (claimant !== null) removeIfDead(claim, claimant, mine)
    return
  }
  try {
    faultPoint('journal:claimed')
    // Between my first look and my claim another process may have done all this; then the link bears another name, and stays.
    if (readLink(path) === holder) unlinkIfThere(path)
  } finally {
    unlinkIfThere(claim)
  }
}

function tryLink(path: string, target: string): boolean {
  try {
    fs.symlinkSync(target, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw fromSystemError(error, 'lock', path)
  }
}

function readLink(path: string): string | null {
  try {
    return fs.readlinkSync(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    // EINVAL: something that is no link stands there. It has no owner that could be dead.
    if (hasCode(error, 'EINVAL')) return ''
    throw fromSystemError(error, 'read', path)
  }
}

function unlinkIfThere(path: string): void {
  try {
    fs.unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw fromSystemError(error, 'unlock', path)
  }
}

function lockedBy(path: string, holder: string | null, timeoutMs: number): RepriseError {
  const owner = holder === null ? null : parseOwner(holder)
  const where = owner === null || livenessOf(owner) !== 'unknown' ? '' : ' of another machine or container'
  const who = owner === null ? 'something that is not a journal' : `process ${owner.pid}${where}`
  return new RepriseError('journal-locked', `${path} is held by ${who} for more than ${timeoutMs} ms`, {
    details: { path, pid: owner?.pid ?? null },
    hint: 'if that process is gone (another container or machine cannot be asked), remove the lock file',
  })
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
