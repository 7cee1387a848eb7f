/**
 * One transaction of a session, above any driver: reads see what was staged before them, each write is judged
 * at once, and what is left at the end is one list of changes, at most one per key, for the driver to apply
 * whole.
 */
import { compareUtf8, contentHash } from '../base/index.ts'
import { judgeVersion, judgeWrite } from './conflict.ts'
import type {
  Change,
  DeleteRequest,
  Entry,
  ExclusiveView,
  Loaded,
  WriteOutcome,
  WriteRequest,
} from './contract.ts'
import { clashError, parentKeys } from './keys.ts'
import { deletionVersion, versionFrom } from './version.ts'

export type Staging = {
  read(key: string): Promise<Entry | null>
  list(): Promise<readonly string[]>
  write(request: WriteRequest): Promise<WriteOutcome>
  /** False if there was nothing to delete. */
  delete(request: DeleteRequest): Promise<boolean>
  changes(): readonly Change[]
}

export function createStaging(view: ExclusiveView): Staging {
  const staged = new Map<string, { readonly loaded: Loaded; readonly change: Change }>()
  const current = (key: string, loaded: Loaded): Entry | null => {
    const change = staged.get(key)?.change
    return change === undefined ? loaded.entry : entryAfter(change)
  }
  const load = async (key: string): Promise<Loaded> => staged.get(key)?.loaded ?? (await view.load(key))

  return {
    async read(key) {
      const entry = current(key, await load(key))
      if (entry === null) await refuseClash(view, staged, key)
      return entry
    },
    async list() {
      const keys = new Set(await view.list())
      for (const [key, { change }] of staged) {
        if (change.kind === 'put') keys.add(key)
        else keys.delete(key)
      }
      return [...keys].sort(compareUtf8)
    },
    async write(request) {
      const loaded = await load(request.key)
      const before = current(request.key, loaded)
      const conflict = judgeWrite(before, request)
      if (before === null) await refuseClash(view, staged, request.key)
      const { key, content, writer, updatedAt } = request
      const hash = contentHash(content)
      const version = versionFrom(loaded.counter + 1, hash)
      staged.set(key, {
        loaded,
        change: { kind: 'put', key, content, hash, version, writer, updatedAt, before: loaded.entry },
      })
      return { version, conflict }
    },
    async delete(request) {
      const loaded = await load(request.key)
      const before = current(request.key, loaded)
      judgeVersion(before, request)
      if (before === null) {
        await refuseClash(view, staged, request.key)
        return false
      }
      const { key, writer, updatedAt } = request
      // A key that this transaction itself made leaves nothing behind.
      if (loaded.entry === null) staged.delete(key)
      else {
        const version = deletionVersion(loaded.counter + 1)
        staged.set(key, {
          loaded,
          change: { kind: 'remove', key, version, writer, updatedAt, before: loaded.entry },
        })
      }
      return true
    },
    changes: () => [...staged.values()].map(({ change }) => change),
  }
}

async function refuseClash(
  view: ExclusiveView,
  staged: ReadonlyMap<string, { readonly change: Change }>,
  key: string,
): Promise<void> {
  for (const [other, { change }] of staged) {
    if (
      change.kind === 'put' &&
      other !== key &&
      (key.startsWith(`${other}/`) || other.startsWith(`${key}/`))
    )
      throw clashError(key, other)
  }
  const other = await view.clash(key)
  if (other === null) return
  // The conflicting key may be deleted in this very transaction; then another key may still be
  // in the way.
  if (staged.get(other)?.change.kind !== 'remove') throw clashError(key, other)
  const parents = new Set(parentKeys(key))
  const left = (await view.list()).find(
    (name) => (parents.has(name) || name.startsWith(`${key}/`)) && staged.get(name)?.change.kind !== 'remove',
  )
  if (left !== undefined) throw clashError(key, left)
}

function entryAfter(change: Change): Entry | null {
  if (change.kind === 'remove') return null
  return {
    content: change.content,
    hash: change.hash,
    version: change.version,
    writer: change.writer,
    updatedAt: change.updatedAt,
  }
}
