/** SIGKILL at random moments during writes, on every driver that outlives a process: whole values, right owners, and the next one opens. */
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../src/real/sqlite.ts'
import { checkKilled } from '../state/check-killed.ts'
import { ended, firstLine, startWorker } from '../state/processes.ts'
import { runUnderNewerNodes } from '../support/newer-node.ts'
import { startPostgres } from '../support/postgres.ts'
import { scaled } from '../support/scale.ts'
import { tempFolder } from '../support/temp-folder.ts'

const kills = scaled(300)

/** Two writers at a time, each killed at its own moment: in the middle of something, or waiting for the other. */
async function killAtRandom(root: string, times: number, settled: () => Promise<void> = async () => undefined): Promise<void> {
  for (let kill = 0; kill < times; kill += 2) {
    const pair = [startWorker('write-forever', [root, `writer-${kill}`]), startWorker('write-forever', [root, `writer-${kill + 1}`])]
    await Promise.all(pair.map(firstLine))
    await Promise.all(
      pair.map(async (worker) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40))
        worker.kill('SIGKILL')
        expect(await ended(worker)).toEqual({ code: null, signal: 'SIGKILL' })
      }),
    )
    await settled()
    await checkKilled(root)
  }
}

if (loadSqlite() !== null) test(`sqlite: ${kills} kills`, () => killAtRandom(`sqlite:${join(tempFolder(), 'state.db')}`, kills))
else runUnderNewerNodes('test/campaigns/state-kill.test.ts', ['node22'], 'sqlite')

test(`filesystem: ${kills} kills`, () => killAtRandom(tempFolder(), kills))

test(`postgres: ${kills} kills`, async () => {
  const server = await startPostgres()
  const client = new pg.Client(server.url)
  try {
    await client.connect()
    await killAtRandom(server.url, kills, () => othersGone(client))
  } finally {
    await client.end()
    await server.stop()
  }
})

/** The server may still be at the last statement of a client that was killed; what it does then counts as done before the check. */
async function othersGone(client: pg.Client): Promise<void> {
  const others = "select count(*)::int as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
  while ((await client.query(others)).rows[0].n > 0);
}
