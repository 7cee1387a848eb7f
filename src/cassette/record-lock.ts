/**
 * One recording per account at a time. The lock names its holder by process, host and time; the account is in it only as a hash. A lock whose process
 * has ended is taken over; one of another host is respected, since nothing can be known about its process.
 */
import { join } from 'node:path'
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { dateFrom, now } from '../real/clock.ts'
import { fs } from '../real/fs.ts'
import { realHostname, realPid } from '../real/process.ts'
import { realRandomUuid } from '../real/random.ts'
import { sha256 } from '../real/sha256.ts'
import { isAlive, processStart } from '../real/signals.ts'
import { FILE_MODE, FOLDER_MODE } from './files/names.ts'
import { hasCode } from './files/read-folder.ts'

export type LockHolder = {
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly start: string | null
  readonly nonce: string
}

export type RecordLock = Disposable & {
  readonly path: string
  /** Safe to call twice, and never removes a lock that is another's by now. */
  release(): void
}

export function acquireRecordLock(root: string, account = ''): RecordLock {
  const folder = join(root, 'locks')
  const path = join(folder, `${sha256(Buffer.from(account || 'default'))}.lock`)
  const mine: LockHolder = {
    pid: realPid,
    host: realHostname(),
    since: dateFrom(now()).toISOString(),
    start: processStart(realPid),
    nonce: realRandomUuid(),
  }
  try {
    fs.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    if (!claim(path, mine)) {
      const holder = readHolder(path)
      if (holder !== null && isHeld(holder)) throw held(path, holder)
      takeOver(path, mine)
    }
  } catch (error) {
    throw error instanceof RepriseError ? error : fromSystemError(error, 'lock', path)
  }
  const release = (): void => {
    if (readHolder(path)?.nonce === mine.nonce) fs.rmSync(path, { force: true })
  }
  return { path, release, [Symbol.dispose]: release }
}

/** False where a lock is there already. The text is in place from the first moment: it is linked, not written. */
function claim(path: string, mine: LockHolder): boolean {
  const temporary = `${path}.${mine.nonce}`
  fs.writeFileSync(temporary, `${JSON.stringify(mine)}\n`, { mode: FILE_MODE, flag: 'wx' })
  try {
    fs.linkSync(temporary, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

/** Only one process at a time may remove a dead lock, so nobody removes the fresh one of somebody who was faster. */
function takeOver(path: string, mine: LockHolder): void {
  const guard = `${path}.takeover`
  if (!claim(guard, mine)) {
    const other = readHolder(guard)
    if (other !== null && isHeld(other)) throw held(path, other)
    fs.rmSync(guard, { force: true })
    if (!claim(guard, mine)) throw held(path, readHolder(guard))
  }
  try {
    const holder = readHolder(path)
    if (holder !== null && isHeld(holder)) throw held(path, holder)
    fs.rmSync(path, { force: true })
    if (!claim(path, mine)) throw held(path, readHolder(path))
  } finally {
    fs.rmSync(guard, { force: true })
  }
}

/** Null where there is no lock, or one without a readable holder, which is as good as none: every lock is written before it is linked. */
function readHolder(path: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(path, 'utf8'))
    return isHolder(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function isHolder(value: unknown): value is LockHolder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'host' in value &&
    'nonce' in value &&
    'since' in value
  )
}

/** The same number may be another process by now: where the system tells when a process began, that must match too. */
function isHeld(holder: LockHolder): boolean {
  if (holder.host !== realHostname()) return true
  if (!isAlive(holder.pid)) return false
  const start = processStart(holder.pid)
  return start === null || holder.start === null || start === holder.start
}

function held(path: string, holder: LockHolder | null): RepriseError {
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host} since ${holder.since}`
  return new RepriseError('cassette-lock-held', `record lock already held by ${who}`, {
    details: { path, pid: holder?.pid ?? null, host: holder?.host ?? null, since: holder?.since ?? null },
    hint: 'wait until that recording has ended',
  })
}
