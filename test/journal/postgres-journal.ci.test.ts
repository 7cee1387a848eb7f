import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresJournal } from '../../src/journal/index.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { collect, gated, journalContract } from './journal-contract.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
let sessions = 0
const newSession = (): string => `s${++sessions}`

journalContract('postgres', (session) => openPostgresJournal({ url: server.url, session }), newSession)

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe('idempotent appends', () => {
  test('the same event id gives the first seq and writes nothing', async () => {
    await using journal = await openPostgresJournal({ url: server.url, session: newSession() })
    expect(await journal.append(gated(0), { eventId: 'a' })).toBe(0)
    expect(await journal.append(gated(1), { eventId: 'b' })).toBe(1)
    expect(await journal.append(gated(9), { eventId: 'a' })).toBe(0)
    expect((await collect(journal.read())).map((entry) => entry.event)).toEqual([gated(0), gated(1)])
  })

  test('also within one batch, from two writers at once, and per session', async () => {
    const session = newSession()
    await using first = await openPostgresJournal({ url: server.url, session })
    await using second = await openPostgresJournal({ url: server.url, session })
    const seqs = await Promise.all(
      [first, second, first, second].map((journal) => journal.append(gated(0), { eventId: 'same' })),
    )
    expect(seqs).toEqual([0, 0, 0, 0])
    await using other = await openPostgresJournal({ url: server.url, session: newSession() })
    expect(await other.append(gated(0), { eventId: 'same' })).toBe(0)
    expect((await collect(other.read())).length).toBe(1)
  })
})

describe('tables', () => {
  test('migrations run once, also when many open at the same time', async () => {
    const journals = await Promise.all(
      Array.from({ length: 6 }, () => openPostgresJournal({ url: server.url, session: newSession() })),
    )
    await Promise.all(journals.map((journal) => journal.close()))
    expect(
      (await withClient((client) => client.query('SELECT version FROM reprise_journal_version'))).rows,
    ).toEqual([{ version: 1 }])
  })

  test('events lie in hash partitions', async () => {
    const { rows } = await withClient((client) =>
      client.query(
        "SELECT count(*)::int AS parts FROM pg_inherits WHERE inhparent = 'reprise_journal_events'::regclass",
      ),
    )
    expect(rows).toEqual([{ parts: 16 }])
  })

  test('the text of an event is kept as it was written', async () => {
    const session = newSession()
    await using journal = await openPostgresJournal({ url: server.url, session })
    await journal.append({ kind: 'note', z: 1, a: '\u0000' })
    const { rows } = await withClient((client) =>
      client.query('SELECT event::text AS event FROM reprise_journal_events WHERE session = $1', [session]),
    )
    expect(rows).toEqual([{ event: '{"kind":"note","z":1,"a":"\\u0000"}' }])
  })

  test('tables of a newer version are refused', async () => {
    const url = `${server.url}?options=-c%20search_path%3Dnewer`
    await withClient(async (client) => {
      await client.query('CREATE SCHEMA newer')
      await client.query('CREATE TABLE newer.reprise_journal_version (version integer NOT NULL)')
      await client.query('INSERT INTO newer.reprise_journal_version VALUES (99)')
    })
    await expect(openPostgresJournal({ url, session: 's' })).rejects.toMatchObject({
      code: 'journal-database',
      details: { found: 99 },
    })
  })
})

describe('a database that fails', () => {
  test('no server: one line with a code, and no password in it', async () => {
    const error = await openPostgresJournal({
      url: 'postgres://user:hunter2secret@127.0.0.1:1/db',
      session: 's',
    }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'journal-database' })
    expect(String(error)).not.toContain('hunter2secret')
  })

  test('a connection that is cut: append and follow say so', async () => {
    const session = newSession()
    const journal = await openPostgresJournal({ url: server.url, session })
    await journal.append(gated(0))
    const following = (async () => {
      for await (const _entry of journal.follow()) {
        await withClient((client) =>
          client.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
          ),
        )
      }
    })()
    await expect(following).rejects.toMatchObject({ code: 'journal-database' })
    await expect(journal.append(gated(1))).rejects.toMatchObject({ code: 'journal-database' })
    await journal.close()
  })
})
