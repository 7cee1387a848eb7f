/**
 * State in a folder, in upstream's layout: each reads the other's sessions. The default driver, for one
 * machine.
 *
 * Writers of all processes take turns by a lock per session; readers take none. A write is durable when it
 * returns. Links are never followed out of the session. What a crash leaves is repaired by the process that
 * comes next.
 */
import { compareUtf8 } from '../../base/index.ts'
import { fromSystemError } from '../../errors/index.ts'
import { namesIn, openFolder } from '../../real/folders.ts'
import { fs } from '../../real/index.ts'
import { judgeVersion } from '../conflict.ts'
import type { Change, Entry, StateDriver } from '../contract.ts'
import { isReservedName } from '../keys.ts'
import { freshId } from '../session-id.ts'
import { isDeletion, type Version, versionNumber } from '../version.ts'
import { flushEach } from './filesystem/commit.ts'
import { findClash, listKeys, loadEntry, readEntry, readVersions } from './filesystem/entries.ts'
import { dropOldVersions, pastVersions, readPast } from './filesystem/history.ts'
import { clearLeftovers, hasLeftovers } from './filesystem/leftovers.ts'
import { acquireLock, TICKET_MARK } from './filesystem/lock.ts'
import {
  FOLDER_MODE,
  openForReading,
  openForWriting,
  type ReadFolders,
  type SessionFolders,
  systemError,
} from './filesystem/places.ts'
import { collisionError, folds, makeProbe, otherSpelling } from './filesystem/spelling.ts'
import { commitChanges, finishCommit, hasCommit } from './filesystem/transaction.ts'
import { takeTurn } from './turns.ts'

export type FilesystemOptions = {
  readonly root: string
  readonly historyLimit: number
  readonly lockTimeoutMs: number
  readonly portable: boolean
}

export function createFilesystemDriver(options: FilesystemOptions): StateDriver {
  const { historyLimit } = options
  const instance = freshId()
  const locked = new Set<string>()
  const marks = new Map<string, Map<string, { readonly mark: string; readonly version: Version }>>()
  const foldingOf = new Map<string, boolean>()
  const dropping = new Set<Promise<void>>()
  let root = options.root
  let count = 0

  /** The root itself may be behind a link, that is the user's choice; it is resolved once. */
  const settleRoot = (make: boolean): void => {
    try {
      if (make) fs.mkdirSync(options.root, { recursive: true, mode: FOLDER_MODE })
      root = fs.realpathSync(options.root)
    } catch (error) {
      if (make) throw fromSystemError(error, 'make', options.root)
    }
  }
  settleRoot(false)

  const underLock = (sessionId: string, work: (folders: SessionFolders) => Promise<void>): Promise<void> =>
    takeTurn(`${root}\0${sessionId}`, async () => {
      using folders = openForWriting(root, sessionId)
      try {
        using lock = await acquireLock(folders.ours, instance, options.lockTimeoutMs)
        if (!locked.has(sessionId)) makeProbe(folders.ours)
        if (lock.takenOver || !locked.has(sessionId)) await clearLeftovers(folders, historyLimit)
        else await finishCommit(folders, historyLimit)
        locked.add(sessionId)
        await work(folders)
      } catch (error) {
        throw systemError(error, 'write', folders.session.path)
      }
    })

  const commit = async (folders: SessionFolders, changes: readonly Change[]): Promise<void> => {
    await commitChanges(folders, changes, `${instance}.${count++}`, historyLimit)
    for (const { key, version } of changes) {
      // What could not be taken away is found by the next sweep; the write itself is done.
      const done = (): void => void dropping.delete(dropped)
      const dropped: Promise<void> = dropOldVersions(
        folders.ours,
        key,
        versionNumber(version),
        historyLimit,
      ).then(done, done)
      dropping.add(dropped)
    }
  }

  /** A version that waits to be taken away is gone for everyone who asks. */
  const isBeyond = (version: Version, current: Entry | null): boolean =>
    current !== null && versionNumber(version) < versionNumber(current.version) - historyLimit

  /** Readers see no half of a transaction: one that was committed and not finished is finished first. */
  const reading = async <T>(
    sessionId: string,
    otherwise: T,
    work: (folders: ReadFolders) => T,
  ): Promise<T> => {
    using folders = openForReading(root, sessionId)
    if (folders === null) return otherwise
    try {
      if (hasCommit(folders.ours)) await underLock(sessionId, async () => undefined)
      return work(folders)
    } catch (error) {
      throw systemError(error, 'read', folders.session.path)
    }
  }
  /** Known once the session has our probe; a folder does not change its mind. */
  const folding = (sessionId: string, folders: ReadFolders): boolean => {
    const known = options.portable ? true : foldingOf.get(sessionId)
    if (known !== undefined) return known
    const found = folds(folders)
    if (folders.ours !== null) foldingOf.set(sessionId, found)
    return found
  }
  const misspelt = (sessionId: string, folders: ReadFolders, key: string): string | null =>
    folding(sessionId, folders) ? otherSpelling(folders.session, key.split('/')) : null
  const checkSessionSpelling = (sessionId: string, folders: ReadFolders): void => {
    if (!folding(sessionId, folders)) return
    using parent = openFolder(root)
    const other = otherSpelling(parent, [sessionId])
    if (other !== null) throw collisionError('session', sessionId, other)
  }

  return {
    backend: 'filesystem',
    root: options.root,
    async createSession(sessionId) {
      settleRoot(true)
      if (options.portable) {
        using parent = openFolder(root)
        const other = otherSpelling(parent, [sessionId])
        if (other !== null) throw collisionError('session', sessionId, other)
      }
      await underLock(sessionId, async (folders) => {
        checkSessionSpelling(sessionId, folders)
        using parent = openFolder(root)
        await flushEach([parent, folders.session, folders.meta])
      })
    },
    async hasSession(sessionId) {
      settleRoot(false)
      using folders = openForReading(root, sessionId)
      if (folders === null) return false
      checkSessionSpelling(sessionId, folders)
      if (folders.ours !== null && hasLeftovers(folders.ours))
        await underLock(sessionId, async () => undefined)
      return true
    },
    async sessions() {
      try {
        using folder = openFolder(root)
        const names = namesIn(folder).filter(({ name, kind }) => kind === 'folder' && !isReservedName(name))
        return names.map(({ name }) => name).sort(compareUtf8)
      } catch (error) {
        throw systemError(error, 'read', options.root)
      }
    },
    read: (sessionId, key) =>
      reading(sessionId, null, (folders) =>
        misspelt(sessionId, folders, key) === null ? readEntry(folders, key) : null,
      ),
    list: (sessionId) => reading(sessionId, [], (folders) => listKeys(folders.session)),
    clash: (sessionId, key) =>
      reading(sessionId, null, (folders) =>
        misspelt(sessionId, folders, key) === null ? findClash(folders.session, key) : null,
      ),
    versions(sessionId) {
      const known = marks.get(sessionId) ?? new Map()
      marks.set(sessionId, known)
      return reading<ReadonlyMap<string, Version>>(sessionId, new Map(), (folders) =>
        readVersions(folders, known),
      )
    },
    async exclusive(sessionId, work) {
      const box: { result?: Awaited<ReturnType<typeof work>>['result'] } = {}
      await underLock(sessionId, async (folders) => {
        const { result, changes } = await work({
          load: async (key) => {
            const other = misspelt(sessionId, folders, key)
            if (other !== null) throw collisionError('key', key, other)
            return loadEntry(folders, key)
          },
          clash: async (key) => findClash(folders.session, key),
          list: async () => listKeys(folders.session),
        })
        if (changes.length > 0) await commit(folders, changes)
        box.result = result
      })
      return box.result as Awaited<ReturnType<typeof work>>['result']
    },
    async writeOnce(sessionId, request) {
      // A version never comes back: a compare-and-swap that is late already need not wait for its turn to
      // fail.
      if (request.ifVersion !== undefined) judgeVersion(await this.read(sessionId, request.key), request)
      return null
    },
    history: (sessionId, key) =>
      reading(sessionId, [], (folders) => {
        const current = readEntry(folders, key)
        const kept = folders.ours === null ? [] : pastVersions(folders.ours, key, current)
        const past = kept
          .filter(({ version }) => !isBeyond(version, current))
          .slice(-historyLimit || Number.POSITIVE_INFINITY)
        if (current === null) return past
        const { version, writer, updatedAt, content } = current
        return [...past, { version, writer, updatedAt, deleted: false, sizeBytes: content.byteLength }]
      }),
    readVersion: (sessionId, key, version) =>
      reading(sessionId, null, (folders) => {
        const current = readEntry(folders, key)
        if (current?.version === version) return current.content
        return folders.ours === null || isDeletion(version) || isBeyond(version, current)
          ? null
          : readPast(folders.ours, key, version)
      }),
    onHint(sessionId, hint) {
      using folders = openForWriting(root, sessionId)
      // Every write of ours makes and removes the lock in this folder.
      const watcher = fs.watch(folders.ours.path, { persistent: false }, hint)
      watcher.on('error', hint)
      return { [Symbol.dispose]: () => watcher.close() }
    },
    async close() {
      await Promise.all(dropping)
      for (const sessionId of locked) {
        using folders = openForReading(root, sessionId)
        if (folders !== null && folders.ours !== null)
          fs.rmSync(folders.ours.at(`${TICKET_MARK}${instance}`), { force: true })
      }
      locked.clear()
    },
  }
}
