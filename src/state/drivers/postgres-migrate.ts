/**
 * Migrates the tables to the newest layout, once, in the first process that connects. A user who may not make
 * tables can use those that are there.
 */
import type { Pool } from 'pg'
import { MIGRATIONS } from './postgres-statements.ts'
import { inTransaction } from './postgres-transaction.ts'
import { newerSchema } from './sql-rows.ts'

/** Any number, as long as it is always this one: it names the lock under which tables are made. */
const MIGRATION_LOCK = 7_305_809_155

export async function migrate(pool: Pool): Promise<void> {
  if ((await layout(pool)) === MIGRATIONS.length) return
  await inTransaction(pool, 'read committed', async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query('create table if not exists reprise_state_migrations (version integer primary key)')
    const found = await layout(client)
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < found) continue
      await client.query(sql)
      await client.query('insert into reprise_state_migrations (version) values ($1)', [index + 1])
    }
  })
}

async function layout(client: {
  query: (sql: string) => Promise<{ rows: readonly Record<string, unknown>[] }>
}): Promise<number> {
  const { rows } = await client.query("select to_regclass('reprise_state_migrations') as name")
  if (rows[0]?.name === null) return 0
  const found = Number(
    (await client.query('select max(version) as version from reprise_state_migrations')).rows[0]?.version ??
      0,
  )
  if (found > MIGRATIONS.length) throw newerSchema(found, MIGRATIONS.length)
  return found
}
