/**
 * The lock of a session between processes. Who holds it is the owner of the file `lock`, a hard link to the holder's ticket: it appears whole or not at
 * all, and only one process can make it.
 *
 * The lock of a process that is gone is taken over. Nobody but its owner may remove a lock, except the holder of the lock one level up (`lock.2` for
 * `lock`), who has looked again and found the same dead owner. So two processes that both find a dead lock cannot remove each other's new one; and if
 * one dies in the middle of that, the next level is taken over in the same way. Nothing here depends on how long anything takes.
 */
import { equalBytes, textOrNull, utf8 } from '../../../base/index.ts'
import { RepriseError } from '../../../errors/index.ts'
import { createFileIn, type Folder, readFileIn, removeFileIn } from '../../../real/folders.ts'
import { fs, monotonicMs, realSetTimeout } from '../../../real/index.ts'
import { ownIdentity, type ProcessIdentity, presenceOf } from '../../../real/process-identity.ts'
import { stateFault } from '../../fault-points.ts'
import { codeOf, FILE_MODE } from './places.ts'

const MAX_LEVEL = 8
const LONGEST_WAIT_MS = 8
export const TICKET_MARK = 'ticket.'

export type Lock = Disposable & {
  /** The previous holder died with it: there may be leftovers. */
  readonly takenOver: boolean
}

export async function acquireLock(ours: Folder, instance: string, timeoutMs: number): Promise<Lock> {
  const started = monotonicMs()
  const before = { takenOver: false }
  for (let attempt = 0; ; attempt += 1) {
    if (tryLevel(ours, instance, 1, before)) break
    if (monotonicMs() - started > timeoutMs) throw lockedError(ours, timeoutMs)
    // A short, uneven wait: it only spares the processor, the lock itself is decided by the file system.
    await pause(Math.min(LONGEST_WAIT_MS, 0.5 * (attempt + 1)) * (0.5 + (monotonicMs() % 1)))
  }
  return {
    takenOver: before.takenOver,
    // If someone removed the whole session meanwhile, there is nothing left to release.
    [Symbol.dispose]: () => void removeFileIn(ours, lockName(1)),
  }
}

/** Tickets of processes that are gone; they can hold nothing any more. */
export function isDeadTicket(bytes: Uint8Array): boolean {
  const holder = parseHolder(bytes)
  return holder !== null && presenceOf(holder) === 'gone'
}

export function isHeldByDead(ours: Folder): boolean {
  const bytes = readFileIn(ours, lockName(1))
  return bytes !== null && isDeadTicket(bytes)
}

function tryLevel(ours: Folder, instance: string, level: number, before: { takenOver: boolean }): boolean {
  if (level > MAX_LEVEL) return false
  const name = lockName(level)
  if (claim(ours, instance, name)) return true
  const found = readFileIn(ours, name)
  if (found === null || !isDeadTicket(found)) return false
  if (!tryLevel(ours, instance, level + 1, { takenOver: false })) return false
  try {
    const again = readFileIn(ours, name)
    if (again === null || !equalBytes(found, again)) return false
    stateFault('state.takeover')
    fs.unlinkSync(ours.at(name))
    const mine = claim(ours, instance, name)
    if (mine) before.takenOver = true
    return mine
  } finally {
    removeFileIn(ours, lockName(level + 1))
  }
}

function claim(ours: Folder, instance: string, name: string): boolean {
  const ticket = `${TICKET_MARK}${instance}`
  for (;;) {
    try {
      fs.linkSync(ours.at(ticket), ours.at(name))
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      if (codeOf(error) === 'ENOENT') writeNew(ours, ticket)
      // A file system without hard links: exclusive creation decides as well, only that a crash in the middle leaves a lock without a name.
      else if (codeOf(error) === 'EPERM' || codeOf(error) === 'ENOTSUP') return writeNew(ours, name)
      else throw error
    }
  }
}

function writeNew(ours: Folder, name: string): boolean {
  try {
    fs.closeSync(createFileIn(ours, name, utf8(JSON.stringify(ownIdentity())), FILE_MODE))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function parseHolder(bytes: Uint8Array): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(textOrNull(bytes) ?? '')
    return isIdentity(value) ? value : null
  } catch {
    // Not ours, or not finished: nothing can be said of its owner, so it is left alone.
    return null
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['started', 'boot', 'host', 'space'].every((name) => typeof Reflect.get(value, name) === 'string')
  const pid: unknown = Reflect.get(value, 'pid')
  return texts && typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0
}

function lockedError(ours: Folder, timeoutMs: number): RepriseError {
  const bytes = readFileIn(ours, lockName(1))
  const holder = bytes === null ? null : parseHolder(bytes)
  const who = holder === null ? 'a holder that cannot be told' : `process ${holder.pid} on ${holder.host}`
  return new RepriseError('state-locked', `agent_state: the session is locked by ${who}; waited ${timeoutMs} ms`, {
    details: { holder, path: `${ours.path}/${lockName(1)}` },
    hint: 'if that process is gone (another machine, another container), remove the lock file',
  })
}

function lockName(level: number): string {
  return level === 1 ? 'lock' : `lock.${level}`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => realSetTimeout(resolve, ms))
}
