/**
 * State in Postgres, for many machines, by the `pg` package of the user. Every connection is serialisable;
 * a statement that fails because of a concurrent transaction is repeated. A plain write or compare-and-swap is
 * one statement; every other case locks the session's row in a transaction.
 *
 * TLS is set by the URL (`?sslmode=verify-full&sslrootcert=…`) or as `tls` does. The password is in no
 * message and no handle.
 *
 * Decision 0046.
 */
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { contentHash } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { monotonicMs, realClearTimeout, realSetTimeout } from '../../real/index.ts'
import type { Change, ExclusiveView, StateDriver, WriteRequest } from '../contract.ts'
import { parentKeys } from '../keys.ts'
import { isDeletion, type Version, versionFrom, versionNumber } from '../version.ts'
import { databaseError, isRetryable, unavailable } from './postgres-errors.ts'
import { migrate } from './postgres-migrate.ts'
import { STATEMENTS } from './postgres-statements.ts'
import { inTransaction } from './postgres-transaction.ts'
import {
  entryFromRow,
  pastFromRow,
  prunesAt,
  type Row,
  rowOf,
  versionFromRow,
  writerText,
} from './sql-rows.ts'

export type PostgresOptions = {
  readonly url: string
  readonly historyLimit: number
  readonly lockTimeoutMs: number
  readonly poolSize: number
  readonly tls: Readonly<Record<string, unknown>> | undefined
}

const HINT_MS = 200

export async function createPostgresDriver(options: PostgresOptions): Promise<StateDriver> {
  const place = withoutPassword(options.url)
  const { pool, statement } = await openPool(options)
  const ready = migrate(pool).catch((error) => {
    throw databaseError(error, place)
  })
  // The first caller gets the error; until then it must not be an unhandled rejection.
  ready.catch(() => undefined)

  const ask = async (
    on: PoolClient,
    name: keyof typeof STATEMENTS,
    values: readonly unknown[],
  ): Promise<readonly Row[]> => {
    const { rows } = await on.query({ ...named(name), values: [...values] })
    return rows
  }
  /** Repeats the work while a concurrent transaction makes it fail, with a growing random pause. */
  const persist = async <T>(work: () => Promise<T>): Promise<T> => {
    const started = monotonicMs()
    for (let attempt = 0; ; attempt += 1) {
      try {
        await ready
        return await work()
      } catch (error) {
        if (!isRetryable(error) || monotonicMs() - started > options.lockTimeoutMs)
          throw databaseError(error, place)
      }
      await new Promise<void>((resolve) =>
        realSetTimeout(resolve, (monotonicMs() % 1) * Math.min(50, 2 * (attempt + 1))),
      )
    }
  }
  const rows = (name: keyof typeof STATEMENTS, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    persist(async () => (await pool.query(statement(name, [...values]))).rows)
  /**
   * Deletes superseded versions in the background. A failure is left to the next attempt: no caller sees
   * what is beyond the limit.
   */
  const prune = (session: string, key: string): void => {
    const pruned = rows('prune', session, key, options.historyLimit).then(
      () => void pruning.delete(pruned),
      () => void pruning.delete(pruned),
    )
    pruning.add(pruned)
  }
  const pruning = new Set<Promise<void>>()
  /**
   * A write over the version that is named, or else over the one that this handle knows: straight to the
   * pool, and nothing comes back but that it was done. False: use the slower path.
   */
  const advance = async (
    session: string,
    request: WriteRequest,
    hash: string,
    base: Version,
  ): Promise<boolean> => {
    const values = [...valuesOf(session, request, hash), ...numberAndStart(base)]
    try {
      await ready
      return (await pool.query(statement('advance', values))).rowCount === 1
    } catch (error) {
      if (isRetryable(error)) return false
      throw databaseError(error, place)
    }
  }
  /** The number of the new version; null where it takes a conversation. */
  const writeNumber = async (
    session: string,
    request: WriteRequest,
    hash: string,
  ): Promise<number | null> => {
    const { ifVersion, seen, key } = request
    const base = ifVersion === null ? undefined : (ifVersion ?? seen)
    if (base !== undefined && !isDeletion(base) && (await advance(session, request, hash, base)))
      return versionNumber(base) + 1
    if (typeof ifVersion === 'string') return null
    const values = valuesOf(session, request, hash)
    const over = ifVersion === undefined ? await rows('overwrite', ...values) : []
    const [row] =
      over.length > 0 ? over : await rows('write', ...values, parentKeys(key), ifVersion === undefined)
    return row === undefined ? null : Number(row.number)
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
    versions: async (session) =>
      new Map((await rows('versions', session)).map((row) => [String(row.key), versionFromRow(row)])),
    exclusive: (session, work) =>
      persist(() =>
        inTransaction(pool, 'serializable', async (client) => {
          await ask(client, 'lockSession', [session])
          const { result, changes } = await work(viewOn(client, session))
          for (const change of changes) await apply(client, session, change)
          return result
        }),
      ),
    async writeOnce(session, request) {
      if (request.policy !== 'ignore') return null
      const hash = contentHash(request.content)
      const number = await writeNumber(session, request, hash)
      if (number === null) return null
      if (prunesAt(number, options.historyLimit)) prune(session, request.key)
      return { version: versionFrom(number, hash), conflict: null }
    },
    async history(session, key) {
      return (await rows('past', session, key, options.historyLimit)).map(pastFromRow)
    },
    async readVersion(session, key, version) {
      if (isDeletion(version)) return null
      const [row] = await rows('version', session, key, options.historyLimit, versionNumber(version))
      return row !== undefined && versionFromRow(row) === version
        ? (entryFromRow(row)?.content ?? null)
        : null
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
        return row === undefined
          ? { entry: null, counter: 0 }
          : { entry: entryFromRow(row), counter: Number(row.number) }
      },
      clash: async (key) => clashFrom(await ask(client, 'clash', [session, key, parentKeys(key)])),
      list: async () => (await ask(client, 'list', [session])).map((row) => String(row.key)),
    }
  }

  async function apply(client: PoolClient, session: string, change: Change): Promise<void> {
    const { number, hash, content, writer, instance, updatedAt } = rowOf(change)
    await ask(client, 'put', [session, change.key, number, hash, content, writer, instance, updatedAt])
    if (prunesAt(number, options.historyLimit))
      await ask(client, 'prune', [session, change.key, options.historyLimit])
  }
}

function valuesOf(
  session: string,
  { key, content, writer, updatedAt }: WriteRequest,
  hash: string,
): unknown[] {
  return [session, key, hash, content, writerText(writer), writer.instance, updatedAt]
}

function numberAndStart(version: Version): readonly string[] {
  return version.split('-')
}

function clashFrom(rows: readonly Row[]): string | null {
  return rows[0] === undefined ? null : String(rows[0].key)
}

/** With a name it is parsed and planned once per connection. */
function named(name: keyof typeof STATEMENTS): { readonly name: string; readonly text: string } {
  return { name: `reprise_state_${name}`, text: STATEMENTS[name] }
}

/** For the pool: a client that is given such a one answers with events, not with a promise. */
type Opened = {
  readonly pool: Pool
  readonly statement: (name: keyof typeof STATEMENTS, values: unknown[]) => QueryConfig
}

async function openPool(options: PostgresOptions): Promise<Opened> {
  let pg: Pick<typeof import('pg'), 'Pool' | 'Query'>
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
  // A description in an object would be copied, property by property, each time: that costs the client more
  // than all the rest of a write.
  const statement: Opened['statement'] = (name, values) =>
    Object.assign(new pg.Query(STATEMENTS[name], values), named(name))
  return { pool, statement }
}

/**
 * Every connection begins serialisable, by a setting in its first message: no extra question, and nothing to
 * forget.
 */
function serialisable(url: string): { readonly connectionString: string; readonly options?: string } {
  // The statements are few and their plans do not depend on the values: planning each time costs more than
  // running it.
  const setting = '-c default_transaction_isolation=serializable -c plan_cache_mode=force_generic_plan'
  try {
    const parsed = new URL(url)
    const given = parsed.searchParams.get('options')
    if (given === null) return { connectionString: url, options: setting }
    parsed.searchParams.set('options', `${given} ${setting}`)
    return { connectionString: parsed.href }
  } catch {
    // `pg` reports what is wrong with the URL.
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
