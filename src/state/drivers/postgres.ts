/**
 * State in Postgres, for many machines, by the `pg` package of the user. Every connection is serialisable; what Postgres refuses for another's sake is
 * done again. A plain write or compare-and-swap is one statement; what needs a closer look locks the session's row and looks.
 *
 * TLS is as the URL says (`?sslmode=verify-full&sslrootcert=…`) or as `tls` does. The password is in no message and no handle.
 */
import type { Pool, PoolClient } from 'pg'
import { contentHash } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/index.ts'
import type { Change, ExclusiveView, StateDriver, WriteRequest } from '../contract.ts'
import { parentKeys } from '../keys.ts'
import { isDeletion, versionFrom, versionNumber } from '../version.ts'
import { databaseError, isRetryable, unavailable } from './postgres-errors.ts'
import { migrate } from './postgres-migrate.ts'
import { STATEMENTS } from './postgres-statements.ts'
import { entryFromRow, pastFromRow, pruneDepth, type Row, rowOf, versionFromRow, writerText } from './sql-rows.ts'

export type PostgresOptions = {
  readonly url: string
  readonly historyLimit: number
  readonly lockTimeoutMs: number
  readonly poolSize: number
  readonly tls: Readonly<Record<string, unknown>> | undefined
}

const HINT_MS = 200

type Queryable = Pick<PoolClient, 'query'>

export async function createPostgresDriver(options: PostgresOptions): Promise<StateDriver> {
  const place = withoutPassword(options.url)
  const pool = await openPool(options)
  const ready = migrate(pool).catch((error) => {
    throw databaseError(error, place)
  })
  // Whoever asks first hears of it; until then it is no unhandled rejection.
  ready.catch(() => undefined)

  const ask = async (on: Queryable, name: keyof typeof STATEMENTS, values: readonly unknown[]): Promise<readonly Row[]> => {
    const { rows } = await on.query({ name: `reprise_state_${name}`, text: STATEMENTS[name], values: [...values] })
    return rows
  }
  /** Again while Postgres says that another transaction came between, with a growing, uneven pause. */
  const persist = async <T>(work: () => Promise<T>): Promise<T> => {
    const started = monotonicMs()
    for (let attempt = 0; ; attempt += 1) {
      try {
        await ready
        return await work()
      } catch (error) {
        if (!isRetryable(error) || monotonicMs() - started > options.lockTimeoutMs) throw databaseError(error, place)
      }
      await new Promise<void>((resolve) => realSetTimeout(resolve, (monotonicMs() % 1) * Math.min(50, 2 * (attempt + 1))))
    }
  }
  const rows = (name: keyof typeof STATEMENTS, ...values: readonly unknown[]): Promise<readonly Row[]> => persist(() => ask(pool, name, values))
  /** Takes superseded versions away, beside the writes. What goes wrong is left to the next time: nobody sees what is beyond the limit. */
  const prune = (session: string, key: string, depth: number): void => {
    const pruned = rows('prune', session, key, depth, options.historyLimit).then(
      () => void pruning.delete(pruned),
      () => void pruning.delete(pruned),
    )
    pruning.add(pruned)
  }
  const pruning = new Set<Promise<void>>()
  /** The usual write, straight to the pool; what fails goes the long way. */
  const overwrite = async (session: string, request: WriteRequest, hash: string): Promise<readonly Row[]> => {
    const values = overwriteValues(session, request, hash)
    try {
      await ready
      return (await pool.query({ name: 'reprise_state_overwrite', text: STATEMENTS.overwrite, values })).rows
    } catch (error) {
      if (!isRetryable(error)) throw databaseError(error, place)
      return rows('overwrite', ...values)
    }
  }

  return {
    backend: 'postgres',
    root: place,
    createSession: async (session) => void (await rows('createSession', session)),
    hasSession: async (session) => (await rows('hasSession', session)).length > 0,
    sessions: async () => (await rows('sessions')).map((row) => String(row.session)),
    async read(session, key) {
      const [row] = await rows('load', session, key)
      return row === undefined ? null : entryFromRow(row)
    },
    list: async (session) => (await rows('list', session)).map((row) => String(row.key)),
    clash: async (session, key) => clashFrom(await rows('clash', session, key, parentKeys(key))),
    versions: async (session) => new Map((await rows('versions', session)).map((row) => [String(row.key), versionFromRow(row)])),
    exclusive: (session, work) =>
      persist(async () => {
        const client = await pool.connect()
        let broken: Error | undefined
        try {
          await client.query('begin isolation level serializable')
          await ask(client, 'lockSession', [session])
          const { result, changes } = await work(viewOn(client, session))
          for (const change of changes) await apply(client, session, change)
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback').catch((cause: Error) => {
            broken = cause
          })
          throw error
        } finally {
          client.release(broken)
        }
      }),
    async writeOnce(session, request) {
      if (request.policy !== 'ignore') return null
      const hash = contentHash(request.content)
      const usual = request.ifVersion === null ? [] : await overwrite(session, request, hash)
      const [row] = usual.length > 0 ? usual : await rows('write', ...writeValues(session, request, hash))
      if (row === undefined) return null
      const number = Number(row.number)
      const depth = pruneDepth(number, options.historyLimit)
      if (depth !== null) prune(session, request.key, depth)
      return { version: versionFrom(number, hash), conflict: null }
    },
    async history(session, key) {
      return (await rows('past', session, key, options.historyLimit)).map(pastFromRow)
    },
    async readVersion(session, key, version) {
      if (isDeletion(version)) return null
      const [row] = await rows('version', session, key, options.historyLimit, versionNumber(version))
      return row !== undefined && versionFromRow(row) === version ? (entryFromRow(row)?.content ?? null) : null
    },
    onHint(_session, hint) {
      let timer: ReturnType<typeof realSetTimeout>
      const poll = (): void => {
        timer = realSetTimeout(() => {
          hint()
          poll()
        }, HINT_MS)
        timer.unref()
      }
      poll()
      return { [Symbol.dispose]: () => realClearTimeout(timer) }
    },
    async close() {
      // A pool that ends while it migrates would break the migration off.
      await ready.catch(() => undefined)
      await Promise.all(pruning)
      await pool.end()
    },
  }

  function viewOn(client: PoolClient, session: string): ExclusiveView {
    return {
      async load(key) {
        const [row] = await ask(client, 'load', [session, key])
        return row === undefined ? { entry: null, counter: 0 } : { entry: entryFromRow(row), counter: Number(row.number) }
      },
      clash: async (key) => clashFrom(await ask(client, 'clash', [session, key, parentKeys(key)])),
      list: async () => (await ask(client, 'list', [session])).map((row) => String(row.key)),
    }
  }

  async function apply(client: PoolClient, session: string, change: Change): Promise<void> {
    const { number, hash, content, writer, instance, updatedAt } = rowOf(change)
    await ask(client, 'put', [session, change.key, number, hash, content, writer, instance, updatedAt])
    const depth = pruneDepth(number, options.historyLimit)
    if (depth !== null) await ask(client, 'prune', [session, change.key, depth, options.historyLimit])
  }
}

function overwriteValues(session: string, request: WriteRequest, hash: string): unknown[] {
  const { key, content, writer, updatedAt, ifVersion } = request
  const [number, start] = ifVersion == null ? [null, null] : ifVersion.split('-')
  return [session, key, hash, content, writerText(writer), writer.instance, updatedAt, number, start]
}

function writeValues(session: string, request: WriteRequest, hash: string): readonly unknown[] {
  const [number, start] = overwriteValues(session, request, hash).slice(-2)
  const anything = request.ifVersion === undefined
  return [...overwriteValues(session, request, hash).slice(0, -2), parentKeys(request.key), anything, number, start]
}

function clashFrom(rows: readonly Row[]): string | null {
  return rows[0] === undefined ? null : String(rows[0].key)
}

async function openPool(options: PostgresOptions): Promise<Pool> {
  let pg: Pick<typeof import('pg'), 'Pool'>
  try {
    pg = (await import('pg')).default
  } catch (error) {
    throw unavailable(error)
  }
  let pool: Pool
  try {
    const ssl = options.tls === undefined ? {} : { ssl: options.tls }
    pool = new pg.Pool({
      ...serialisable(options.url),
      max: Math.max(1, options.poolSize),
      application_name: 'reprise',
      allowExitOnIdle: true,
      ...ssl,
    })
  } catch (error) {
    throw new RepriseError('state-url', 'agent_state: the postgres URL cannot be read', {
      cause: error,
      hint: 'postgres://user@host:5432/database is the form',
    })
  }
  // A connection that breaks while it idles is replaced by the pool; who is using one gets the error there.
  pool.on('error', () => undefined)
  return pool
}

/** Every connection begins serialisable, by a setting in its first message: no extra question, and nothing to forget. */
function serialisable(url: string): { readonly connectionString: string; readonly options?: string } {
  // The statements are few and their plans do not depend on the values: planning each time costs more than running it.
  const setting = '-c default_transaction_isolation=serializable -c plan_cache_mode=force_generic_plan'
  try {
    const parsed = new URL(url)
    const given = parsed.searchParams.get('options')
    if (given === null) return { connectionString: url, options: setting }
    parsed.searchParams.set('options', `${given} ${setting}`)
    return { connectionString: parsed.href }
  } catch {
    // Then `pg` will say what is wrong with it.
    return { connectionString: url }
  }
}

function withoutPassword(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `postgres://${host}${pathname}`
  } catch {
    return 'postgres:'
  }
}
