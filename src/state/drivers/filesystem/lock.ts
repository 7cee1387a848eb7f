/**
 * The lock of a session between processes. Who holds it is the owner of the file `lock`, a hard link to the
 * holder's ticket: it appears whole or not at all, and only one process can make it.
 *
 * The lock of a process that is gone is taken over (see real/file-lock.ts): the right to remove `lock` is the
 * lock `lock.2`, and so on.
 *
 * Decision 0041.
 */
import { fieldsOf, jsonOf, textOrNull, utf8 } from '../../../base/index.ts'
import { RepriseError, systemCode } from '../../../errors/index.ts'
import { type LockFiles, waitForLock } from '../../../real/file-lock.ts'
import { createFileIn, type Folder, readFileIn, removeFileIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import { ownIdentity, type ProcessIdentity, presenceOf } from '../../../real/processes.ts'
import { stateFault } from '../../fault-points.ts'
import { FILE_MODE } from './places.ts'

const LOCK = 'lock'
const MAX_LEVEL = 8
export const TICKET_MARK = 'ticket.'

export type Lock = Disposable & {
  /** The previous holder died with it: there may be leftovers. */
  readonly takenOver: boolean
}

export async function acquireLock(ours: Folder, instance: string, timeoutMs: number): Promise<Lock> {
  const files: LockFiles = {
    create: (name) => claim(ours, instance, name),
    read: (name) => textIn(ours, name),
    remove: (name) => void removeFileIn(ours, name),
    isDead: isDeadHolder,
    rightToRemove: nextLevel,
    onTakeover: () => stateFault('state.takeover'),
  }
  const result = await waitForLock(files, LOCK, timeoutMs)
  if (result === 'busy') throw lockedError(ours, timeoutMs)
  return {
    takenOver: result === 'taken-over',
    // If someone removed the whole session meanwhile, there is nothing left to release.
    [Symbol.dispose]: () => void removeFileIn(ours, LOCK),
  }
}

/** Tickets of processes that are gone; they can hold nothing any more. */
export function isDeadTicket(bytes: Uint8Array): boolean {
  return isDeadHolder(textOrNull(bytes) ?? '')
}

export function isHeldByDead(ours: Folder): boolean {
  return isDeadHolder(textIn(ours, LOCK) ?? '')
}

function isDeadHolder(text: string): boolean {
  const holder = parseHolder(text)
  return holder !== null && presenceOf(holder) === 'gone'
}

/** Text that is not UTF-8 is read as empty: nothing is known about its holder. */
function textIn(ours: Folder, name: string): string | null {
  const bytes = readFileIn(ours, name)
  return bytes === null ? null : (textOrNull(bytes) ?? '')
}

/** `lock.2` for `lock`, `lock.3` for `lock.2`, up to a limit: beyond it the lock is left alone. */
function nextLevel(name: string): string | null {
  const level = name === LOCK ? 1 : Number(name.slice(LOCK.length + 1))
  return level < MAX_LEVEL ? `${LOCK}.${level + 1}` : null
}

function claim(ours: Folder, instance: string, name: string): boolean {
  const ticket = `${TICKET_MARK}${instance}`
  for (;;) {
    try {
      fs.linkSync(ours.at(ticket), ours.at(name))
      return true
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false
      if (systemCode(error) === 'ENOENT') writeNew(ours, ticket)
      // A file system without hard links: exclusive creation decides as well, only that a crash in the middle
      // leaves a lock without a name.
      else if (systemCode(error) === 'EPERM' || systemCode(error) === 'ENOTSUP') return writeNew(ours, name)
      else throw error
    }
  }
}

function writeNew(ours: Folder, name: string): boolean {
  try {
    fs.closeSync(createFileIn(ours, name, utf8(JSON.stringify(ownIdentity())), FILE_MODE))
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Null for a text that is not ours, or not finished: then nothing is known about its holder, and it is left
 * alone.
 */
function parseHolder(text: string): ProcessIdentity | null {
  const value = jsonOf(text)
  return isIdentity(value) ? value : null
}

function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, ...rest } = fieldsOf(value)
  const texts = ['started', 'boot', 'host', 'space'].every((name) => typeof rest[name] === 'string')
  return texts && typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0
}

function lockedError(ours: Folder, timeoutMs: number): RepriseError {
  const holder = parseHolder(textIn(ours, LOCK) ?? '')
  const who = holder === null ? 'an unknown holder' : `process ${holder.pid} on ${holder.host}`
  return new RepriseError(
    'state-locked',
    `agent_state: the session is locked by ${who}; waited ${timeoutMs} ms`,
    {
      details: { holder, path: `${ours.path}/${LOCK}` },
      hint: 'if that process is gone (another machine, another container), remove the lock file',
    },
  )
}
