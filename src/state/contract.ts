/**
 * What a state driver is: the one shape behind `filesystem`, `memory`, `sqlite` and `postgres`.
 *
 * A driver stores versions of keys of sessions and applies changes atomically. What may be written (keys,
 * conflicts, compare-and-swap, clashes of `a` with `a/b`) is decided once, above the drivers, in
 * ./staging.ts: `exclusive` gives that code a view that no one else can change meanwhile.
 */
import type { Version } from './version.ts'
import type { Writer } from './writer.ts'

export type Backend = 'filesystem' | 'memory' | 'sqlite' | 'postgres'

export type ConflictPolicy = 'ignore' | 'warn' | 'error'

export type Entry = {
  readonly content: Uint8Array
  /** BLAKE3 of the content. */
  readonly hash: string
  readonly version: Version
  /**
   * Null where the content has no known owner: written by hand, or by a writer that died before it signed.
   */
  readonly writer: Writer | null
  /** Epoch seconds, as in the metadata files. */
  readonly updatedAt: number | null
}

/**
 * A key as `exclusive` sees it. `counter` is the highest version number the key ever had, deletions included,
 * so that no number comes back.
 */
export type Loaded = {
  readonly entry: Entry | null
  readonly counter: number
}

export type Change =
  | {
      readonly kind: 'put'
      readonly key: string
      readonly content: Uint8Array
      readonly hash: string
      readonly version: Version
      readonly writer: Writer
      readonly updatedAt: number
      readonly before: Entry | null
    }
  | {
      readonly kind: 'remove'
      readonly key: string
      readonly version: Version
      readonly writer: Writer
      readonly updatedAt: number
      readonly before: Entry
    }

export type PastVersion = {
  readonly version: Version
  readonly writer: Writer | null
  readonly updatedAt: number | null
  readonly deleted: boolean
  readonly sizeBytes: number
}

export type WriteRequest = {
  readonly key: string
  readonly content: Uint8Array
  readonly writer: Writer
  readonly updatedAt: number
  readonly policy: ConflictPolicy
  /** The version of this key that the handle read or wrote last. */
  readonly seen: Version | undefined
  /** Compare-and-swap: the version that must be there now; null for "no such key". */
  readonly ifVersion: Version | null | undefined
}

export type DeleteRequest = Pick<WriteRequest, 'key' | 'writer' | 'updatedAt' | 'ifVersion'>

export type Conflict = {
  readonly key: string
  readonly previous: Writer | null
  readonly current: Writer
  readonly message: string
}

export type WriteOutcome = {
  readonly version: Version
  /** Only under `warn`: under `error` a conflict is thrown before anything changes. */
  readonly conflict: Conflict | null
}

/** What `exclusive` shows: the current session, unchanged until the work is done. */
export type ExclusiveView = {
  load(key: string): Promise<Loaded>
  /** A key that excludes this one: a parent of it (`a` for `a/b`), or one below it. */
  clash(key: string): Promise<string | null>
  list(): Promise<readonly string[]>
}

export type ExclusiveWork<T> = (
  view: ExclusiveView,
) => Promise<{ readonly result: T; readonly changes: readonly Change[] }>

export type StateDriver = {
  readonly backend: Backend
  /** As shown in a serialised handle; never holds a password. */
  readonly root: string
  createSession(session: string): Promise<void>
  hasSession(session: string): Promise<boolean>
  sessions(): Promise<readonly string[]>
  read(session: string, key: string): Promise<Entry | null>
  list(session: string): Promise<readonly string[]>
  clash(session: string, key: string): Promise<string | null>
  versions(session: string): Promise<ReadonlyMap<string, Version>>
  /**
   * Runs the work alone, then applies all of its changes or none. A driver that meets a serialisation failure
   * may run the work again.
   */
  exclusive<T>(session: string, work: ExclusiveWork<T>): Promise<T>
  /**
   * One write without a conversation, where the driver can decide it in one step; null where it must be
   * read through `exclusive`.
   */
  writeOnce?(session: string, request: WriteRequest): Promise<WriteOutcome | null>
  history(session: string, key: string): Promise<readonly PastVersion[]>
  /** The content of a version; null if it is a deletion, was never there, or is no longer kept. */
  readVersion(session: string, key: string, version: Version): Promise<Uint8Array | null>
  /** Calls `hint` when something in the session may have changed. */
  onHint(session: string, hint: () => void): Disposable
  /** Its hints are complete: no polling is needed. */
  readonly hintsAll?: boolean
  close(): Promise<void>
}

/** What a handle records about itself on a tape. */
export type StateRecords = {
  read(session: string, key: string, entry: Entry | null): void
  list(session: string, keys: readonly string[]): void
  write(session: string, key: string, content: Uint8Array): void
  remove(session: string, key: string): void
}

export const DEFAULT_HISTORY_LIMIT = 100
export const DEFAULT_LOCK_TIMEOUT_MS = 30_000
