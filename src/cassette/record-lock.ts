/**
 * One recording per account at a time. The lock names its holder by process, host and time; the account is in
 * it only as a hash. A lock whose process has ended is taken over; one of another host is respected, since
 * nothing can be known about its process.
 *
 * Fizeau writes a lock that names the account only, and keeps the file open while it records. Such a lock is
 * respected as long as a process has the file open.
 */
import { join } from 'node:path'
import { isObject, jsonOf } from '../base/index.ts'
import { fromSystemError, RepriseError, systemCode } from '../errors/index.ts'
import { dateFrom, now } from '../real/clock.ts'
import { type LockFiles, tryLock } from '../real/file-lock.ts'
import { fs } from '../real/fs.ts'
import { openedBy, ownIdentity, presenceOf } from '../real/processes.ts'
import { realRandomUuid } from '../real/random.ts'
import { sha256 } from '../real/sha256.ts'
import { FILE_MODE, FOLDER_MODE } from './files/names.ts'

export type LockHolder = {
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly start: string | null
  readonly boot?: string
  readonly space?: string
  readonly nonce: string
}

export type RecordLock = Disposable & {
  readonly path: string
  /** Safe to call twice, and never removes a lock that is another's by now. */
  release(): void
}

/** Behind the name of a lock: the lock that gives the right to remove it when its holder is dead. */
const GUARD = '.takeover'
const MAX_GUARDS = 8

export function acquireRecordLock(root: string, account = ''): RecordLock {
  const folder = join(root, 'locks')
  const path = join(folder, `${sha256(Buffer.from(account || 'default'))}.lock`)
  const { pid, host, started, boot, space } = ownIdentity()
  const mine: LockHolder = {
    pid,
    host,
    since: dateFrom(now()).toISOString(),
    start: started || null,
    boot,
    space,
    nonce: realRandomUuid(),
  }
  const files: LockFiles = {
    create: (name) => claim(name, mine),
    read: readText,
    remove: (name) => fs.rmSync(name, { force: true }),
    isDead: (text) => !isHeld(holderIn(text), path),
    rightToRemove: (name) =>
      name.length - path.length < MAX_GUARDS * GUARD.length ? `${name}${GUARD}` : null,
  }
  try {
    fs.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    if (tryLock(files, path) === 'busy') throw held(path, readHolder(path))
  } catch (error) {
    throw error instanceof RepriseError ? error : fromSystemError(error, 'lock', path)
  }
  const release = (): void => {
    if (readHolder(path)?.nonce === mine.nonce) fs.rmSync(path, { force: true })
  }
  return { path, release, [Symbol.dispose]: release }
}

/**
 * False where a lock is there already. The text is in place from the first moment: it is linked, not written.
 */
function claim(path: string, mine: LockHolder): boolean {
  const temporary = `${path}.${mine.nonce}`
  fs.writeFileSync(temporary, `${JSON.stringify(mine)}\n`, { mode: FILE_MODE, flag: 'wx' })
  try {
    fs.linkSync(temporary, path)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

function readText(path: string): string | null {
  try {
    // A pipe in its place is not waited for.
    return fs.statSync(path).isFile() ? fs.readFileSync(path, 'utf8') : ''
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

function readHolder(path: string): LockHolder | null {
  return holderIn(readText(path) ?? '')
}

/**
 * Null for a lock that does not name its holder: none of ours, since every lock of ours is written before it
 * is linked.
 */
function holderIn(text: string): LockHolder | null {
  const value = jsonOf(text)
  return isHolder(value) ? value : null
}

function isHolder(value: unknown): value is LockHolder {
  return (
    isObject(value) &&
    typeof value.pid === 'number' &&
    'host' in value &&
    'nonce' in value &&
    'since' in value
  )
}

/**
 * A lock of version 0.1 does not name its boot and pid namespace: they are taken to be those of this process.
 */
function isHeld(holder: LockHolder | null, path: string): boolean {
  if (holder === null) return openedBy(path) !== 'none'
  const { boot, space } = ownIdentity()
  const identity = {
    pid: holder.pid,
    host: holder.host,
    started: holder.start ?? '',
    boot: holder.boot ?? boot,
    space: holder.space ?? space,
  }
  return presenceOf(identity) !== 'gone'
}

function held(path: string, holder: LockHolder | null): RepriseError {
  const who =
    holder === null ? 'another program' : `process ${holder.pid} on ${holder.host} since ${holder.since}`
  return new RepriseError('cassette-lock-held', `record lock already held by ${who}`, {
    details: { path, pid: holder?.pid ?? null, host: holder?.host ?? null, since: holder?.since ?? null },
    hint:
      holder === null
        ? `wait until that recording has ended; if no program records, remove ${path}`
        : 'wait until that recording has ended',
  })
}
