/**
 * From a root to a driver: a path or `file:` URL is a folder, `memory:`, `sqlite:FILE` and `postgres://…`
 * name their drivers. A driver's own library is loaded here, on first use.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unreachable } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import { realCwd } from '../real/index.ts'
import { DEFAULT_HISTORY_LIMIT, DEFAULT_LOCK_TIMEOUT_MS, type StateDriver } from './contract.ts'

export type DriverOptions = {
  /** How many superseded versions of a key are kept; 0 for none. Default: 100. */
  readonly historyLimit?: number | undefined
  /** How long a write waits for another process. Default: 30 000. */
  readonly lockTimeoutMs?: number | undefined
  /**
   * Filesystem: refuse keys that differ only in case or Unicode form also where this file system keeps them
   * apart.
   */
  readonly portable?: boolean | undefined
  /** Postgres: the most connections of the pool. Default: 5. */
  readonly poolSize?: number | undefined
  /** Postgres: TLS settings as `pg` takes them; they override the URL (`?sslmode=verify-full`). */
  readonly tls?: Readonly<Record<string, unknown>> | undefined
}

export type Place =
  | { readonly backend: 'filesystem'; readonly folder: string }
  | { readonly backend: 'memory'; readonly name: string }
  | { readonly backend: 'sqlite'; readonly file: string; readonly synchronous: 'full' | 'normal' }
  | { readonly backend: 'postgres'; readonly url: string }

export async function openDriver(root: string, options: DriverOptions = {}): Promise<StateDriver> {
  const place = parseRoot(root)
  const historyLimit = wholeNumber('historyLimit', options.historyLimit, DEFAULT_HISTORY_LIMIT)
  const lockTimeoutMs = wholeNumber('lockTimeoutMs', options.lockTimeoutMs, DEFAULT_LOCK_TIMEOUT_MS)
  switch (place.backend) {
    case 'filesystem': {
      const { createFilesystemDriver } = await import('./drivers/filesystem.ts')
      return createFilesystemDriver({
        root: place.folder,
        historyLimit,
        lockTimeoutMs,
        portable: options.portable === true,
      })
    }
    case 'memory': {
      const { createMemoryDriver } = await import('./drivers/memory.ts')
      return createMemoryDriver(place.name, historyLimit)
    }
    case 'sqlite': {
      const { createSqliteDriver } = await import('./drivers/sqlite.ts')
      return createSqliteDriver({
        file: place.file,
        synchronous: place.synchronous,
        historyLimit,
        lockTimeoutMs,
      })
    }
    case 'postgres': {
      const { createPostgresDriver } = await import('./drivers/postgres.ts')
      const poolSize = wholeNumber('poolSize', options.poolSize, 5)
      return createPostgresDriver({ url: place.url, historyLimit, lockTimeoutMs, poolSize, tls: options.tls })
    }
    default:
      return unreachable(place)
  }
}

export function parseRoot(root: string): Place {
  if (typeof root !== 'string' || root.trim() === '') throw badRoot(root, 'it is blank')
  if (root.includes('\0')) throw badRoot(root, 'it holds NUL')
  // One letter is a drive of Windows, not a scheme.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(root)?.[1]?.toLowerCase()
  if (scheme === undefined) return { backend: 'filesystem', folder: resolve(realCwd(), root) }
  const rest = root.slice(scheme.length + 1)
  switch (scheme) {
    case 'file':
      return { backend: 'filesystem', folder: filePath(root, rest) }
    case 'memory':
      return { backend: 'memory', name: rest }
    case 'sqlite':
      return sqlitePlace(root, rest)
    case 'postgres':
    case 'postgresql':
      if (!rest.startsWith('//')) throw badRoot(root, 'postgres://host/database is the form')
      return { backend: 'postgres', url: root }
    default:
      throw badRoot(root, `there is no driver for ${scheme}:`)
  }
}

function sqlitePlace(root: string, rest: string): Place {
  const [path = '', query = ''] = rest.split('?', 2)
  const synchronous = new URLSearchParams(query).get('synchronous') ?? 'full'
  if (synchronous !== 'full' && synchronous !== 'normal') throw badRoot(root, 'synchronous is full or normal')
  if (path === '') throw badRoot(root, 'sqlite:FILE is the form')
  return {
    backend: 'sqlite',
    file: resolve(realCwd(), path.startsWith('//') ? path.slice(2) : path),
    synchronous,
  }
}

function filePath(root: string, rest: string): string {
  if (rest === '') throw badRoot(root, 'file:FOLDER is the form')
  if (!rest.startsWith('//')) return resolve(realCwd(), decodePath(root, rest))
  try {
    return fileURLToPath(root)
  } catch (error) {
    throw badRoot(root, error instanceof Error ? error.message : String(error))
  }
}

function decodePath(root: string, path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw badRoot(root, 'a % in it is not followed by two hex digits')
  }
}

function wholeNumber(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new RepriseError('usage', `agent_state: ${name} must be a whole number, 0 or more`, {
    details: { [name]: value },
  })
}

function badRoot(root: string, why: string): RepriseError {
  // The text may hold a password; the scheme is all that is needed to find the fault.
  const shown = /^postgres/i.test(root) ? 'postgres:…' : String(root)
  return new RepriseError('state-url', `agent_state: '${shown}' is no place for state: ${why}`, {
    hint: 'a folder, file:FOLDER, memory:, sqlite:FILE or postgres://host/database',
  })
}
