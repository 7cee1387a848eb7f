/** Where a handle tells what it read and wrote. Without an active tape it tells nobody. */
import type { Entry, WriteRequest } from './contract.ts'
import type { Version } from './version.ts'

export type StateTape = {
  read(session: string, key: string, entry: Entry | null): void
  list(session: string, keys: readonly string[]): void
  write(session: string, request: WriteRequest, version: Version): void
  remove(session: string, key: string, found: boolean): void
}

export const silentTape: StateTape = { read: () => undefined, list: () => undefined, write: () => undefined, remove: () => undefined }
