/**
 * Eight processes append to one session in Postgres at the same time: nothing lost, nothing doubled, no gap.
 */
import { test } from 'vitest'
import { openPostgresJournal } from '../../src/journal/index.ts'
import { EACH, expectEveryEventOnce, runWriters, WRITERS } from '../journal/many-writers.ts'
import { startPostgres } from '../support/postgres.ts'

test(`${WRITERS} processes x ${EACH} appends`, async () => {
  const server = await startPostgres()
  try {
    await runWriters({ url: server.url, session: 's' })
    await using journal = await openPostgresJournal({ url: server.url, session: 's' })
    await expectEveryEventOnce(journal)
  } finally {
    await server.stop()
  }
})
