/**
 * SIGKILL at random moments during writes to Postgres: whole values, right owners, and the next one opens.
 */
import pg from 'pg'
import { expect, test } from 'vitest'
import { killAtRandom } from '../state/kill-at-random.ts'
import { scaled } from '../support/campaign.ts'
import { startPostgres } from '../support/postgres.ts'

const kills = scaled(300, 6)

test(`${kills} kills`, async () => {
  const server = await startPostgres()
  const client = new pg.Client(server.url)
  try {
    await client.connect()
    await killAtRandom(server.url, kills, () => othersGone(client))
    // A backend notices a little later that its client was killed.
    await expect.poll(() => clientBackends(client), { timeout: 30_000 }).toBe(0)
  } finally {
    await client.end()
    await server.stop()
  }
})

/**
 * The server may still run the last statement of a client that was killed; its effect counts as done before
 * the check.
 */
async function othersGone(client: pg.Client): Promise<void> {
  while ((await clientBackends(client)) > 0);
}

async function clientBackends(client: pg.Client): Promise<number> {
  const others =
    "select count(*)::int as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
  return (await client.query(others)).rows[0].n
}
