/** What only the postgres driver promises: TLS, migrations by whoever comes first, and no password anywhere. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { initState, listSessions } from '../../src/state/index.ts'
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
    const handles = await Promise.all(Array.from({ length: 8 }, (_, at) => initState(url, { sessionId: `s${at}` })))
    await Promise.all(handles.map((state) => state.write('k', 'v')))
    await Promise.all(handles.map((state) => state.close()))
    expect(await ask(url, 'select version from reprise_state_migrations')).toEqual([{ version: 1 }])
    expect(await listSessions(url)).toHaveLength(8)
  })

  test('a database of a newer layout is refused', async () => {
    const url = await freshDatabase('newer')
    await (await initState(url)).close()
    await ask(url, 'insert into reprise_state_migrations values (99)')
    await expect(initState(url)).rejects.toMatchObject({
      code: 'state-database',
      message: expect.stringContaining('layout 99; this version knows 1'),
    })
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

test('connections are serialisable, and options of the URL stay', async () => {
  const url = new URL(await freshDatabase('isolation'))
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  await using state = await initState(url.href, { sessionId: 's' })
  await state.write('k', 'v')
  const rows = await ask(server.url, "select 1 from pg_stat_activity where application_name = 'reprise' and datname = 'isolation'")
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
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject], {
      stdio: 'ignore',
    })
    const secure = await startPostgres({ tls: { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') } })
    try {
      await using byUrl = await initState(`${secure.url}?sslmode=verify-full&sslrootcert=${certificate}`, { sessionId: 's' })
      await byUrl.write('k', 'v')
      const encrypted = "select count(*)::int as n from pg_stat_ssl join pg_stat_activity using (pid) where ssl and application_name = 'reprise'"
      expect(await ask(secure.url, encrypted)).toEqual([{ n: 1 }])
      await using byOption = await initState(secure.url, { sessionId: 's', tls: { ca: readFileSync(certificate, 'utf8') } })
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
