/**
 * What only the postgres driver promises: TLS, migrations by whoever comes first, and no password anywhere.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/state/drivers/postgres-statements.ts'
import { initState, listSessions, resumeState } from '../../src/state/index.ts'
import { needs } from '../support/outside.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function freshDatabase(name: string): Promise<string> {
  await ask(server.url, `create database ${name}`)
  return server.url.replace(/\/postgres$/, `/${name}`)
}

async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('migrations', () => {
  test('eight at once make the tables once', async () => {
    const url = await freshDatabase('at_once')
    const handles = await Promise.all(
      Array.from({ length: 8 }, (_, at) => initState(url, { sessionId: `s${at}` })),
    )
    await Promise.all(handles.map((state) => state.write('k', 'v')))
    await Promise.all(handles.map((state) => state.close()))
    expect(await ask(url, 'select version from reprise_state_migrations order by version')).toEqual([
      { version: 1 },
      { version: 2 },
    ])
    expect(await listSessions(url)).toHaveLength(8)
  })

  test('a database of a newer layout is refused', async () => {
    const url = await freshDatabase('newer')
    await (await initState(url)).close()
    await ask(url, 'insert into reprise_state_migrations values (99)')
    await expect(initState(url)).rejects.toMatchObject({
      code: 'state-database',
      message: expect.stringContaining('layout 99; this version knows 2'),
    })
  })

  test('what the first layout held is there in the next: versions, owners, deletions, history', async () => {
    const url = await freshDatabase('first_layout')
    await ask(
      url,
      `create table reprise_state_migrations (version integer primary key); insert into reprise_state_migrations values (1); ${MIGRATIONS[0]}`,
    )
    await ask(url, "insert into reprise_state_sessions values ('s')")
    // Plan: version 1 is no longer kept. Gone: written once, then deleted. Other: in a session of its own,
    // ids in between.
    const hash = (letter: string): string => letter.repeat(64)
    await ask(
      url,
      `insert into reprise_state_versions (id, previous, number, hash, writer, instance, updated_at, content) overriding system value values
        (2, 1, 2, '${hash('a')}', '{"writer_id":"ann"}', 'i1', 100, 'two'), (3, null, 1, '${hash('b')}', '{"writer_id":"bob"}', null, 101, 'once'),
        (5, 2, 3, '${hash('c')}', '{"writer_id":"bob"}', 'i2', 102, 'three'), (6, 3, 2, null, '{"writer_id":"bob"}', null, 103, null),
        (7, null, 1, '${hash('d')}', '{"writer_id":"cid"}', null, 104, 'elsewhere');
       insert into reprise_state_heads (session, key, number, hash, id) values
        ('s', 'plan', 3, '${hash('c')}', 5), ('s', 'gone', 2, null, 6), ('t', 'plan', 1, '${hash('d')}', 7)`,
    )
    await using state = await resumeState(url, 's')
    expect(await state.list()).toEqual(['plan'])
    expect(await state.read('plan')).toBe('three')
    expect(
      (await state.history('plan')).map(({ version, writer, updatedAt }) => [
        version,
        writer?.writerId,
        writer?.instance,
        updatedAt,
      ]),
    ).toEqual([
      [`2-${'a'.repeat(16)}`, 'ann', 'i1', 100],
      [`3-${'c'.repeat(16)}`, 'bob', 'i2', 102],
    ])
    expect(Buffer.from(await state.readVersion('plan', `2-${'a'.repeat(16)}`)).toString()).toBe('two')
    expect((await state.history('gone')).map(({ version, deleted }) => [version, deleted])).toEqual([
      [`1-${'b'.repeat(16)}`, false],
      ['2-deleted', true],
    ])
    expect((await state.write('plan', 'four')).version).toMatch(/^4-/)
    expect((await state.write('gone', 'back')).version).toMatch(/^3-/)
    expect(await ask(url, "select to_regclass('reprise_state_versions') as old")).toEqual([{ old: null }])
  })

  test('a user who may make no tables can use those that are there', async () => {
    const url = await freshDatabase('rights')
    const limited = new URL(url)
    limited.username = 'limited'
    limited.password = 'limited'
    await ask(url, "create role limited login password 'limited'; revoke create on schema public from public")
    await expect(initState(limited.href)).rejects.toMatchObject({
      code: 'state-database',
      hint: expect.stringContaining('may not create or use the tables'),
    })
    await (await initState(url)).close()
    await ask(url, 'grant select, insert, update, delete on all tables in schema public to limited')
    await using state = await initState(limited.href, { sessionId: 's' })
    await state.write('k', 'v')
    expect(await state.read('k')).toBe('v')
  })
})

test('a version that is beyond the limit is neither shown nor kept', async () => {
  const url = await freshDatabase('pruned')
  const state = await initState(url, { sessionId: 's', historyLimit: 3 })
  for (let at = 1; at <= 20; at += 1) await state.write('k', `${at}`)
  expect((await state.history('k')).map(({ version }) => Number.parseInt(version, 10))).toEqual([
    17, 18, 19, 20,
  ])
  await state.close()
  // Versions are taken away beside the writes: the last time at the 18th, when at most the 20th was there.
  const [kept] = await ask(url, 'select min(number)::int as oldest from reprise_state_entries')
  expect(kept?.oldest).toBeGreaterThanOrEqual(15)
})

test('a handle that knows an older version writes over the newer one, and loses none of its own', async () => {
  const url = await freshDatabase('stale')
  await using a = await initState(url, { sessionId: 's', historyLimit: 0 })
  await using b = await initState(url, { sessionId: 's', historyLimit: 0 })
  const { version } = await a.write('k', 'a1')
  for (let at = 0; at < 10; at += 1) await b.write('k', `b${at}`)
  await expect(a.write('k', 'a2', { ifVersion: version })).rejects.toMatchObject({
    code: 'state-version-mismatch',
  })
  expect((await a.write('k', 'a3')).version).toMatch(/^12-/)
  expect(await b.read('k')).toBe('a3')
  await b.delete('k')
  await expect(a.write('k/below', 'x')).resolves.toMatchObject({ conflict: null })
  await expect(a.write('k', 'a4')).rejects.toMatchObject({ code: 'state-key-clash' })
})

test('connections are serialisable, and options of the URL stay', async () => {
  const url = new URL(await freshDatabase('isolation'))
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  await using state = await initState(url.href, { sessionId: 's' })
  await state.write('k', 'v')
  const rows = await ask(
    server.url,
    "select 1 from pg_stat_activity where application_name = 'reprise' and datname = 'isolation'",
  )
  expect(rows.length).toBeGreaterThan(0)
})

test('a transaction with a pool of one does not wait for itself', async () => {
  await using state = await initState(await freshDatabase('pool_of_one'), { sessionId: 's', poolSize: 1 })
  await state.transaction(async (tx) => {
    await tx.write('a', '1')
    expect(await tx.read('a')).toBe('1')
    expect(await tx.list()).toEqual(['a'])
  })
  expect(await state.read('a')).toBe('1')
})

test('a server that goes away is an error with a code, and one that comes back is used', async () => {
  const url = await freshDatabase('goes_away')
  await using state = await initState(url, { sessionId: 's', poolSize: 1 })
  await state.write('k', '1')
  await ask(server.url, "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'goes_away'")
  const outcome = await state.write('k', '2').catch((error: unknown) => error)
  if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'state-database' })
  await state.write('k', '3')
  expect(await state.read('k')).toBe('3')
})

test.each([
  ['a wrong password', { password: 'wrong-and-secret' }, 'check user and password'],
  ['a missing database', { pathname: '/nowhere' }, 'create the database first'],
  ['a closed port', { port: '1' }, 'check that the server runs'],
])('%s', async (_, change, hint) => {
  const url = Object.assign(new URL(server.url), change)
  const error: unknown = await initState(url.href).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'state-database', hint: expect.stringContaining(hint) })
  expect(`${error}${JSON.stringify(error)}`).not.toContain(url.password)
})

describe('TLS', () => {
  test('is used as the URL says, and a stranger’s certificate is refused', async (context) => {
    needs(context, 'openssl')
    const folder = tempFolder()
    const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        key,
        '-out',
        certificate,
        ...subject,
      ],
      {
        stdio: 'ignore',
      },
    )
    const secure = await startPostgres({
      tls: { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') },
    })
    try {
      await using byUrl = await initState(`${secure.url}?sslmode=verify-full&sslrootcert=${certificate}`, {
        sessionId: 's',
      })
      await byUrl.write('k', 'v')
      const encrypted =
        "select count(*)::int as n from pg_stat_ssl join pg_stat_activity using (pid) where ssl and application_name = 'reprise'"
      expect(await ask(secure.url, encrypted)).toEqual([{ n: 1 }])
      await using byOption = await initState(secure.url, {
        sessionId: 's',
        tls: { ca: readFileSync(certificate, 'utf8') },
      })
      expect(await byOption.read('k')).toBe('v')
      await expect(initState(`${secure.url}?sslmode=verify-full`)).rejects.toMatchObject({
        code: 'state-database',
        message: expect.stringMatching(/self.signed/),
      })
    } finally {
      await secure.stop()
    }
  })
})
