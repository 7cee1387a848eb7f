/**
 * Takes a lock that is a file, also from a holder that has died.
 *
 * Two processes that both find the lock of a dead holder must not both remove it: the second would remove the
 * new lock of the first. So the right to remove a dead lock is a lock too, with a name of its own, and it is
 * taken over in the same way if its holder died. The process with that right reads the lock again before
 * removing it. Nothing here depends on time.
 *
 * How a lock is stored (symbolic link, hard link) and who counts as dead is decided by the caller. Creating
 * must be atomic and must include the content, so that no process reads a lock without its holder.
 *
 * Decision 0240.
 */
import { monotonicMs, realSetImmediate, realSetTimeout } from './clock.ts'
import { realRandomBytes } from './random.ts'

export type LockFiles = {
  /** Creates the lock, naming this process as its holder; false if it is there already. */
  create(name: string): boolean
  /** The text of the lock, or null if it is not there. */
  read(name: string): string | null
  /** Removes the lock if it is there. */
  remove(name: string): void
  /** True only if it is certain that this holder will never use the lock again. */
  isDead(holder: string): boolean
  /**
   * The name of the lock that gives the right to remove this one, whose holder is dead; null for "do not
   * remove it".
   */
  rightToRemove(name: string, holder: string): string | null
  /** Called with the right in hand, before a dead lock is removed. */
  onTakeover?(): void
}

export type LockAttempt = 'taken' | 'taken-over' | 'busy'

const MAX_VANISHED = 8

export function tryLock(files: LockFiles, name: string): LockAttempt {
  for (let vanished = 0; vanished < MAX_VANISHED; vanished += 1) {
    if (files.create(name)) return 'taken'
    const holder = files.read(name)
    // Released between the two calls: create it again.
    if (holder === null) continue
    return files.isDead(holder) ? takeOver(files, name, holder) : 'busy'
  }
  return 'busy'
}

function takeOver(files: LockFiles, name: string, dead: string): LockAttempt {
  const right = files.rightToRemove(name, dead)
  if (right === null || tryLock(files, right) === 'busy') return 'busy'
  try {
    // Another process may have replaced the lock before this one had the right.
    if (files.read(name) !== dead) return 'busy'
    files.onTakeover?.()
    files.remove(name)
    return files.create(name) ? 'taken-over' : 'busy'
  } finally {
    files.remove(right)
  }
}

/** Tries until the lock is taken or the time is up. */
export async function waitForLock(files: LockFiles, name: string, timeoutMs: number): Promise<LockAttempt> {
  const deadline = monotonicMs() + timeoutMs
  const alive = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    // To find out whether a holder lives is slower than all the rest: a holder that was found alive is
    // checked again only now and then.
    if (attempt % 64 === 0) alive.clear()
    const isDead = (holder: string): boolean => {
      if (alive.has(holder)) return false
      if (files.isDead(holder)) return true
      alive.add(holder)
      return false
    }
    const result = tryLock({ ...files, isDead }, name)
    if (result !== 'busy' || monotonicMs() > deadline) return result
    await pause(attempt)
  }
}

/** Yields to the holder first, then backs off to a few milliseconds, out of step with the other waiters. */
function pause(attempt: number): Promise<void> {
  const backoffMs = Math.min(8, 1 + attempt / 32)
  return new Promise((resolve) => {
    if (attempt < 8) realSetImmediate(resolve)
    else realSetTimeout(resolve, backoffMs * (0.5 + ((realRandomBytes(1)[0] ?? 0) / 255) * 0.5))
  })
}
