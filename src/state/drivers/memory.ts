/**
 * State in this process only: for tests, and for agents that need nothing to stay. `memory:` is a store of
 * its own; `memory:name` is the same store for everything in the process that uses that name.
 */
import { compareUtf8 } from '../../base/index.ts'
import type { Change, Entry, PastVersion, StateDriver } from '../contract.ts'
import { parentKeys } from '../keys.ts'
import { isDeletion, type Version, versionNumber } from '../version.ts'

type Past = PastVersion & { readonly content: Uint8Array; readonly hash: string }
type Session = { readonly keys: Map<string, Past[]>; readonly hints: Set<() => void>; tail: Promise<unknown> }

const named = new Map<string, Map<string, Session>>()

export function createMemoryDriver(name: string, historyLimit: number): StateDriver {
  const store = name === '' ? new Map<string, Session>() : (named.get(name) ?? new Map<string, Session>())
  if (name !== '') named.set(name, store)
  const open = (id: string): Session => {
    const session = store.get(id) ?? { keys: new Map(), hints: new Set(), tail: Promise.resolve() }
    store.set(id, session)
    return session
  }
  const keysOf = (session: Session | undefined): string[] =>
    [...(session?.keys ?? [])]
      .flatMap(([key, past]) => (entryOf(past) === null ? [] : [key]))
      .sort(compareUtf8)
  const clashIn = (session: Session | undefined, key: string): string | null => {
    const parents = new Set(parentKeys(key))
    return keysOf(session).find((other) => parents.has(other) || other.startsWith(`${key}/`)) ?? null
  }

  return {
    backend: 'memory',
    root: `memory:${name}`,
    createSession: async (id) => void open(id),
    hasSession: async (id) => store.has(id),
    sessions: async () => [...store.keys()].sort(compareUtf8),
    read: async (id, key) => entryOf(store.get(id)?.keys.get(key)),
    list: async (id) => keysOf(store.get(id)),
    clash: async (id, key) => clashIn(store.get(id), key),
    versions: async (id) => {
      const session = store.get(id)
      return new Map(keysOf(session).flatMap((key) => versionOfKey(session?.keys.get(key), key)))
    },
    exclusive(id, work) {
      const session = open(id)
      const turn = session.tail.then(async () => {
        const { result, changes } = await work({
          load: async (key) => {
            const past = session.keys.get(key)
            const last = past?.at(-1)
            return { entry: entryOf(past), counter: last === undefined ? 0 : versionNumber(last.version) }
          },
          clash: async (key) => clashIn(session, key),
          list: async () => keysOf(session),
        })
        for (const change of changes) apply(session, change, historyLimit)
        if (changes.length > 0) for (const hint of session.hints) hint()
        return result
      })
      session.tail = turn.catch(() => undefined)
      return turn
    },
    history: async (id, key) =>
      (store.get(id)?.keys.get(key) ?? []).map(({ content: _content, hash: _hash, ...past }) => past),
    readVersion: async (id, key, version) => {
      const past = store
        .get(id)
        ?.keys.get(key)
        ?.find((one) => one.version === version)
      return past === undefined || past.deleted ? null : Uint8Array.from(past.content)
    },
    onHint(id, hint) {
      const { hints } = open(id)
      hints.add(hint)
      return { [Symbol.dispose]: () => void hints.delete(hint) }
    },
    close: async () => undefined,
  }
}

function apply(session: Session, change: Change, historyLimit: number): void {
  const { version, writer, updatedAt } = change
  const content = change.kind === 'put' ? Uint8Array.from(change.content) : new Uint8Array()
  const past = session.keys.get(change.key) ?? []
  past.push({
    version,
    writer,
    updatedAt,
    deleted: isDeletion(version),
    sizeBytes: content.byteLength,
    content,
    hash: change.kind === 'put' ? change.hash : '',
  })
  past.splice(0, Math.max(0, past.length - 1 - historyLimit))
  session.keys.set(change.key, past)
}

/** A copy: what a caller does to the bytes it was given must not change the store. */
function entryOf(past: readonly Past[] | undefined): Entry | null {
  const last = past?.at(-1)
  if (last === undefined || last.deleted) return null
  return {
    content: Uint8Array.from(last.content),
    hash: last.hash,
    version: last.version,
    writer: last.writer,
    updatedAt: last.updatedAt,
  }
}

function versionOfKey(past: readonly Past[] | undefined, key: string): readonly [string, Version][] {
  const last = past?.at(-1)
  return last === undefined ? [] : [[key, last.version]]
}
